/* SPDX-License-Identifier: Apache-2.0
 *
 * The process's memory, while it runs: nothing is stopped, so two reads may be of two moments. What a picture of the
 * runtime needed last time is read at once next time.
 */
#ifndef SAMPLER_MEMORY_H
#define SAMPLER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PAGE_BYTES 4096

struct memory_page {
	uint64_t address;
	uint32_t at; /* its place in bytes, in pages */
	bool known;
	bool used;
};

struct memory {
	pid_t pid;
	bool readable;
	/* The pages of a picture, by address. */
	struct memory_page *pages;
	size_t count, capacity;
	uint8_t *bytes;
	size_t byte_pages;
	/* Those that were not among them. */
	uint64_t *missed;
	size_t missed_count, missed_capacity;
	bool in_picture;
};

void memory_init(struct memory *memory, pid_t pid, bool readable);
void memory_deinit(struct memory *memory);

bool memory_read(struct memory *memory, uint64_t address, size_t size, void *bytes);

struct memory_piece {
	uint64_t address;
	size_t size;
};

/* A few pieces at once, one behind the other: all of them, or false. */
bool memory_read_pieces(struct memory *memory, const struct memory_piece *pieces, size_t count,
			void *bytes);

/* As many of them as there are up to the end of what is mapped. */
size_t memory_read_some(struct memory *memory, uint64_t address, size_t size, void *bytes);

/* Text that ends with a NUL: false: it does not within size. */
bool memory_read_text(struct memory *memory, uint64_t address, char *text, size_t size);

void memory_picture_begin(struct memory *memory);
void memory_picture_end(struct memory *memory);

#endif /* SAMPLER_MEMORY_H */
