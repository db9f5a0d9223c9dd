/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind/entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "unwind/machine.h"
#include "unwind/pointers.h"

/* So many are listed where no table has them. */
#define ENTRIES_MAX (1 << 20)

/* The header's own fields, and the size of a line of its table. */
#define HEADER_SIZE 4
#define LINE_SIZE 8

/* The bytes of the entry that begins at `at', behind its length. */
static bool entry_bytes(const struct cfi *cfi, uint64_t at, struct bytes *entry, uint64_t *end)
{
	struct bytes all = {cfi->frames, cfi->frames_size, (size_t)at, at > cfi->frames_size};
	uint64_t length = bytes_unsigned(&all, 4);

	if (length == UINT32_MAX)
		length = bytes_unsigned(&all, 8);
	if (all.bad || length == 0 || length > all.size - all.at)
		return false;
	*end = all.at + length;
	/* Keeps counting from the section's start: its pointers are relative to their own place. */
	*entry = (struct bytes){cfi->frames, (size_t)*end, all.at, false};
	return true;
}

static bool read_augmentation(const struct cfi *cfi, struct bytes *bytes, const char *letters,
			      struct entry *entry)
{
	uint64_t size = bytes_uleb(bytes), after = bytes->at + size;

	if (size > bytes->size - bytes->at)
		return false;
	for (const char *letter = letters + 1; *letter; letter++) {
		switch (*letter) {
		case 'R':
			entry->encoding = (uint8_t)bytes_unsigned(bytes, 1);
			break;
		case 'P': {
			/* Its value is nothing to us, and it may be one that the process holds. */
			uint8_t encoding = (uint8_t)bytes_unsigned(bytes, 1);

			encoded_pointer(bytes, encoding & POINTER_FORMAT, cfi->frames_address, 0);
			break;
		}
		case 'L':
			bytes_skip(bytes, 1);
			break;
		case 'S':
			entry->signal = true;
			break;
		case 'B':
			break;
		default:
			return false;
		}
	}
	bytes->at = (size_t)after;
	return !bytes->bad;
}

static bool read_common(const struct cfi *cfi, uint64_t at, struct entry *entry, bool *augmented)
{
	struct bytes bytes;
	uint64_t end;

	if (!entry_bytes(cfi, at, &bytes, &end) || bytes_unsigned(&bytes, 4) != 0)
		return false;
	uint64_t version = bytes_unsigned(&bytes, 1);
	const char *letters = (const char *)bytes.start + bytes.at;
	const void *last = memchr(letters, 0, bytes.size - bytes.at);

	if (bytes.bad || !last || (version != 1 && version != 3 && version != 4))
		return false;
	bytes_skip(&bytes, strlen(letters) + 1);
	if (version == 4)
		bytes_skip(&bytes, 2);
	entry->code_factor = bytes_uleb(&bytes);
	entry->data_factor = bytes_sleb(&bytes);
	entry->return_column = version == 1 ? bytes_unsigned(&bytes, 1) : bytes_uleb(&bytes);
	*augmented = letters[0] == 'z';
	if (letters[0] && !*augmented)
		return false;
	if (*augmented && !read_augmentation(cfi, &bytes, letters, entry))
		return false;
	entry->common = bytes_part(&bytes, bytes.size - bytes.at);
	return !bytes.bad;
}

/* false: at `at' is none, or a damaged one. end: where the next begins; 0: nowhere. */
static bool read_entry(const struct cfi *cfi, uint64_t at, struct entry *entry, uint64_t *end)
{
	struct bytes bytes;
	bool augmented;

	*end = 0;
	if (!entry_bytes(cfi, at, &bytes, end))
		return false;
	uint64_t here = bytes.at, back = bytes_unsigned(&bytes, 4);

	*entry = (struct entry){0};
	if (bytes.bad || back == 0 || back > here ||
	    !read_common(cfi, here - back, entry, &augmented))
		return false;
	entry->begin = encoded_pointer(&bytes, entry->encoding, cfi->frames_address, 0);
	entry->end = entry->begin + encoded_pointer(&bytes, entry->encoding & POINTER_FORMAT, 0, 0);
	if (augmented)
		bytes_skip(&bytes, bytes_uleb(&bytes));
	entry->instructions = bytes_part(&bytes, bytes.size - bytes.at);
	return !bytes.bad;
}

/* Pairs of distances from the header: where code begins, and where its entry is. */
struct table {
	const struct cfi *cfi;
	struct bytes bytes;
};

static uint64_t distant(const struct table *table, uint64_t line, size_t in_line)
{
	struct bytes bytes = table->bytes;

	bytes.at += (size_t)line * LINE_SIZE + in_line;
	return table->cfi->header_address + (uint64_t)bytes_signed(&bytes, 4);
}

static uint64_t line_begins(const void *table, uint64_t line)
{
	return distant(table, line, 0);
}

static uint64_t entry_begins(const void *lines, uint64_t line)
{
	return ((const struct cfi_line *)lines)[line].begin;
}

static bool search_lines(const struct cfi *cfi, uint64_t address, struct entry *entry)
{
	const uint64_t behind = first_behind(0, cfi->line_count, address, entry_begins, cfi->lines);
	uint64_t end;

	return behind != 0 && read_entry(cfi, cfi->lines[behind - 1].at, entry, &end) &&
	       address >= entry->begin && address < entry->end;
}

static int compare_lines(const void *left, const void *right)
{
	const struct cfi_line *a = left, *b = right;

	return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Of the form that linkers make. *start, *count_encoding: how its first numbers are encoded. */
static bool has_table(struct bytes *header, uint8_t *start, uint8_t *count_encoding)
{
	uint64_t version = bytes_unsigned(header, 1);

	*start = (uint8_t)bytes_unsigned(header, 1);
	*count_encoding = (uint8_t)bytes_unsigned(header, 1);
	return bytes_unsigned(header, 1) == (POINTER_DATA_RELATIVE | 0x0b) && !header->bad &&
	       version == 1 && *count_encoding != POINTER_OMITTED;
}

void list_entries(struct cfi *cfi)
{
	struct bytes header = {cfi->header, cfi->header_size, 0, !cfi->header};
	size_t capacity = 0;
	uint64_t at = 0, end;
	uint8_t start, count_encoding;

	if (!cfi->frames || has_table(&header, &start, &count_encoding))
		return;
	for (int i = 0; i < ENTRIES_MAX; i++, at = end) {
		struct entry entry;

		if (read_entry(cfi, at, &entry, &end)) {
			cfi->lines = grow_array(cfi->lines, cfi->line_count, &capacity,
						sizeof *cfi->lines);
			cfi->lines[cfi->line_count++] = (struct cfi_line){entry.begin, at};
		}
		if (end <= at)
			break;
	}
	if (cfi->lines)
		qsort(cfi->lines, cfi->line_count, sizeof *cfi->lines, compare_lines);
}

bool find_entry(const struct cfi *cfi, uint64_t address, struct entry *entry)
{
	struct bytes header = {cfi->header, cfi->header_size, 0, !cfi->header};
	uint8_t start, count_encoding;

	if (!has_table(&header, &start, &count_encoding))
		return search_lines(cfi, address, entry);
	encoded_pointer(&header, start, cfi->header_address, cfi->header_address);
	uint64_t count =
		encoded_pointer(&header, count_encoding, cfi->header_address, cfi->header_address);

	if (header.bad)
		return false;
	if (count > (header.size - header.at) / LINE_SIZE)
		count = (header.size - header.at) / LINE_SIZE;
	const struct table lines = {cfi, header};
	const uint64_t behind = first_behind(0, count, address, line_begins, &lines);
	uint64_t end;

	if (behind == 0)
		return false;
	const uint64_t at = distant(&lines, behind - 1, LINE_SIZE / 2);

	return at >= cfi->frames_address &&
	       read_entry(cfi, at - cfi->frames_address, entry, &end) && address >= entry->begin &&
	       address < entry->end;
}
