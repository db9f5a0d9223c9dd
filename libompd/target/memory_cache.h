/* SPDX-License-Identifier: Apache-2.0
 *
 * Which bytes of the target have been read already? Remembers them in blocks as large as the smallest page, which
 * is there as a whole or not at all. Good only as long as the target's memory does not change: whoever makes one
 * has been told so by the tool.
 */
#ifndef TARGET_MEMORY_CACHE_H
#define TARGET_MEMORY_CACHE_H

#include "ompd.h"
#include "target/address_map.h"
#include "target/vector.h"

#define MEMORY_BLOCK_BYTES 4096

struct memory_cache {
	struct vector pieces; /* uint8_t *: what was taken, for several reads each */
	uint8_t *room;        /* in the last of them */
	size_t room_blocks;
	struct vector blocks;              /* uint8_t *: where each begins */
	struct address_map index_of_block; /* by address / MEMORY_BLOCK_BYTES */
};

void memory_cache_init(struct memory_cache *cache);
void memory_cache_deinit(struct memory_cache *cache);

/* As callback_read. Where whole blocks cannot be read, or not be kept, just these bytes are read, and not kept. */
ompd_rc_t memory_cache_read(struct memory_cache *cache, ompd_address_space_context_t *context,
			    ompd_addr_t address, ompd_size_t size, void *buffer);

/* Remembers these bytes, if that is possible. */
void memory_cache_expect(struct memory_cache *cache, ompd_address_space_context_t *context,
			 ompd_addr_t address, ompd_size_t size);

#endif /* TARGET_MEMORY_CACHE_H */
