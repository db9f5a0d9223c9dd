/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of JSON into a descriptor.
 */
#ifndef SAMPLER_WRITER_H
#define SAMPLER_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct writer {
	int fd;
	char *bytes;
	size_t count, capacity;
	uint64_t written;
	int error;  /* errno of what could not be written; 0 */
	bool first; /* no comma before the next member or element */
};

void writer_init(struct writer *writer, int fd);
void writer_deinit(struct writer *writer);

/* false: it cannot be written; error says why, and nothing more is. */
bool writer_flush(struct writer *writer);

/* A line is an object; its first member is a number, or a text. */
void line_begin(struct writer *writer);
void line_end(struct writer *writer);

/* Members. name NULL: an element of an array. */
void put_number(struct writer *writer, const char *name, uint64_t value);
void put_signed(struct writer *writer, const char *name, int64_t value);
void put_decimal(struct writer *writer, const char *name, double value);
void put_text(struct writer *writer, const char *name, const char *text); /* NULL: null */
void put_text_number(struct writer *writer, const char *name,
		     uint64_t value); /* in decimal, as text */
void put_address(struct writer *writer, const char *name, uint64_t value);
void put_bool(struct writer *writer, const char *name, bool value);
void put_null(struct writer *writer, const char *name);
void put_number_or_null(struct writer *writer, const char *name, uint32_t value); /* NONE: null */
/* An array of them, at most as many as a row of the record has. */
#define NUMBERS_MAX 8
void put_numbers(struct writer *writer, const char *name, const uint64_t *values, size_t count);
void put_open(struct writer *writer, const char *name, char bracket);
void put_close(struct writer *writer, char bracket);

#endif /* SAMPLER_WRITER_H */
