/* SPDX-License-Identifier: Apache-2.0 */
#include "record/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/intern.h"

/* Handed on when so much has come together. */
#define HAND_ON_BYTES (1 << 16)

void writer_init(struct writer *writer, int fd)
{
	*writer = (struct writer){.fd = fd};
}

void writer_deinit(struct writer *writer)
{
	free(writer->bytes);
}

bool writer_flush(struct writer *writer)
{
	size_t done = 0;

	while (done < writer->count && !writer->error) {
		ssize_t count = write(writer->fd, writer->bytes + done, writer->count - done);

		if (count > 0)
			done += (size_t)count;
		else if (count == 0 || errno != EINTR)
			writer->error = count == 0 ? EIO : errno;
	}
	writer->written += done;
	writer->count = 0;
	return !writer->error;
}

static void add(struct writer *writer, const char *text, size_t size)
{
	while (writer->count + size > writer->capacity)
		writer->bytes = grow_array(writer->bytes, writer->capacity, &writer->capacity, 1);
	memcpy(writer->bytes + writer->count, text, size);
	writer->count += size;
}

static void add_text(struct writer *writer, const char *text)
{
	add(writer, text, strlen(text));
}

void line_begin(struct writer *writer)
{
	add_text(writer, "{");
	writer->first = true;
}

void line_end(struct writer *writer)
{
	add_text(writer, "}\n");
	if (writer->count >= HAND_ON_BYTES)
		writer_flush(writer);
}

/* How many bytes the character at `text' has; 0: it is none of UTF-8's. */
static size_t character(const unsigned char *text)
{
	size_t size = text[0] < 0x80   ? 1
		      : text[0] < 0xc2 ? 0
		      : text[0] < 0xe0 ? 2
		      : text[0] < 0xf0 ? 3
		      : text[0] < 0xf5 ? 4
				       : 0;

	for (size_t i = 1; i < size; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	/* Longer than necessary, surrogates, beyond the last. */
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] >= 0xa0) ||
	    (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] >= 0x90))
		return 0;
	return size;
}

static bool is_control(const unsigned char *text, size_t size)
{
	return (size == 1 && (text[0] < 0x20 || text[0] == 0x7f)) ||
	       (size == 2 && text[0] == 0xc2 && text[1] < 0xa0);
}

static void add_quoted(struct writer *writer, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	add_text(writer, "\"");
	while (*at) {
		size_t size = character(at);

		if (size == 0 || is_control(at, size)) {
			add_text(writer, "?");
			at += size ? size : 1;
			continue;
		}
		if (*at == '"' || *at == '\\')
			add_text(writer, "\\");
		add(writer, (const char *)at, size);
		at += size;
	}
	add_text(writer, "\"");
}

static void begin_member(struct writer *writer, const char *name)
{
	if (!writer->first)
		add_text(writer, ",");
	writer->first = false;
	if (name) {
		add_text(writer, "\"");
		add_text(writer, name);
		add_text(writer, "\":");
	}
}

/* Ends before `end'. Most of a record is numbers: printf would take a third of the sampler's time. */
static char *digits(char *end, uint64_t value)
{
	do {
		*--end = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	return end;
}

void put_number(struct writer *writer, const char *name, uint64_t value)
{
	char text[24], *const end = text + sizeof text, *const first = digits(end, value);

	begin_member(writer, name);
	add(writer, first, (size_t)(end - first));
}

void put_numbers(struct writer *writer, const char *name, const uint64_t *values, size_t count)
{
	char text[NUMBERS_MAX * 24], *const end = text + sizeof text, *at = end;

	*--at = ']';
	while (count-- > 0) {
		at = digits(at, values[count]);
		*--at = count ? ',' : '[';
	}
	begin_member(writer, name);
	add(writer, at, (size_t)(end - at));
}

void put_signed(struct writer *writer, const char *name, int64_t value)
{
	char text[24];

	begin_member(writer, name);
	snprintf(text, sizeof text, "%" PRId64, value);
	add_text(writer, text);
}

void put_decimal(struct writer *writer, const char *name, double value)
{
	char text[32];

	begin_member(writer, name);
	snprintf(text, sizeof text, "%.4g", value);
	add_text(writer, text);
}

void put_text(struct writer *writer, const char *name, const char *text)
{
	begin_member(writer, name);
	if (text)
		add_quoted(writer, text);
	else
		add_text(writer, "null");
}

void put_text_number(struct writer *writer, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, value);
	put_text(writer, name, text);
}

void put_address(struct writer *writer, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "0x%" PRIx64, value);
	put_text(writer, name, text);
}

void put_bool(struct writer *writer, const char *name, bool value)
{
	begin_member(writer, name);
	add_text(writer, value ? "true" : "false");
}

void put_null(struct writer *writer, const char *name)
{
	put_text(writer, name, NULL);
}

void put_number_or_null(struct writer *writer, const char *name, uint32_t value)
{
	if (value == NONE)
		put_null(writer, name);
	else
		put_number(writer, name, value);
}

void put_open(struct writer *writer, const char *name, char bracket)
{
	begin_member(writer, name);
	add(writer, &bracket, 1);
	writer->first = true;
}

void put_close(struct writer *writer, char bracket)
{
	add(writer, &bracket, 1);
	writer->first = false;
}
