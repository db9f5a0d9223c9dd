/* SPDX-License-Identifier: Apache-2.0
 *
 * Which functions does an image export? All of them, where image.h finds one by its name.
 */
#ifndef TARGET_IMAGE_SYMBOLS_H
#define TARGET_IMAGE_SYMBOLS_H

#include "target/image.h"
#include "target/limits.h"

#define SYMBOLS_CHUNK_BYTES 1536 /* 64 symbols of 64 bit, 96 of 32 bit */

struct symbol_walk {
	const struct image *image;
	uint64_t next, end; /* by their place in the symbol table */
	uint64_t held;      /* the first one in the chunk */
	size_t held_count;
	uint8_t chunk[SYMBOLS_CHUNK_BYTES];
};

struct exported_function {
	target_addr address;
	uint64_t size;
	char name[SYMBOL_NAME_MAX];
};

/* unavailable: it has no table of exports. incomplete: it has more than are walked; else what reading answers. */
ompd_rc_t symbols_first(struct symbol_walk *walk, const struct image *image);

/* ok and a function that the image defines; names that are too long for us are left out. unavailable: there are no
 * more. */
ompd_rc_t symbols_next(struct symbol_walk *walk, struct exported_function *ret);

#endif /* TARGET_IMAGE_SYMBOLS_H */
