/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory of a process as a list of ranges, small enough to be a fuzzer's input, and patches that
 * change it while most of it stays meaningful.
 *
 * An image is a row of items, numbers in little-endian order; what does not fit the form ends it:
 *   'F' flags:1                      FLAG_...
 *   'M' address:8 length:4 bytes     memory
 *   'Z' address:8 length:4           zeroed memory
 *   'S' address:8 length:1 name      a symbol that the debugger knows
 *   'T' pthread:8 lwp:8              a thread that the debugger knows
 *   'H' address:8 length:4           what libompd read at once when the image was made
 */
#ifndef MEMORY_IMAGE_H
#define MEMORY_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLAG_POINTERS_OF_4 1u
#define FLAG_BIG_ENDIAN 2u

#define IMAGE_SYMBOLS_MAX 256
#define IMAGE_THREADS_MAX 64
#define IMAGE_HOLES_MAX 32
#define IMAGE_NAME_SIZE 128

struct memory_range {
	uint64_t address;
	uint64_t length;
	const uint8_t *bytes; /* NULL: zeros */
	size_t place;         /* of bytes in the image's memory */
};

struct image_symbol {
	uint64_t address;
	char name[IMAGE_NAME_SIZE];
};

struct image_thread {
	uint64_t pthread_id;
	uint64_t lwp;
};

struct memory_image {
	unsigned flags;
	struct memory_range *ranges; /* by address, none overlaps another */
	size_t range_count;
	struct memory_range *read_at_once; /* in the order in which they stand; bytes is unused */
	size_t read_count;
	uint64_t read_total; /* their bytes */
	struct memory_range holes[IMAGE_HOLES_MAX];
	size_t hole_count;
	struct image_symbol symbols[IMAGE_SYMBOLS_MAX];
	size_t symbol_count;
	struct image_thread threads[IMAGE_THREADS_MAX];
	size_t thread_count;
	uint8_t *memory; /* a seed's: the bytes of its ranges one after the other, to be patched */
	uint8_t *pristine;
	size_t memory_size;
};

/* An image whose ranges point into data. */
void image_parse(struct memory_image *image, const uint8_t *data, size_t size);
/* One that can be patched; data may go away. */
void image_parse_seed(struct memory_image *image, const uint8_t *data, size_t size);
void image_deinit(struct memory_image *image);

/* A patch is PATCH_SIZE bytes: operation:1 place:3 argument:4; see memory_image.c. */
#define PATCH_SIZE 8
void image_patch(struct memory_image *image, const uint8_t *patches, size_t size);
void image_undo_patches(struct memory_image *image);

/* false: not all of it is there. */
bool image_read(const struct memory_image *image, uint64_t address, uint64_t length, void *buffer);

#endif /* MEMORY_IMAGE_H */
