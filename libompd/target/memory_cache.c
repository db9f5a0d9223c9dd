/* SPDX-License-Identifier: Apache-2.0 */
#include "target/memory_cache.h"

#include <string.h>

#include "target/callbacks.h"
#include "target/limits.h"

/* In index_of_block: asking for all of it again would fail again. */
#define NOT_WHOLE (ADDRESS_MAP_NONE - 1)

/* Memory is taken for so many blocks at a time: of many threads each has one or two. */
#define PIECE_BLOCKS 32

void memory_cache_init(struct memory_cache *cache)
{
	memset(cache, 0, sizeof(*cache));
	cache->pieces.item_size = cache->blocks.item_size = sizeof(uint8_t *);
}

void memory_cache_deinit(struct memory_cache *cache)
{
	for (size_t i = 0; i < cache->pieces.count; i++)
		callback_free(*(uint8_t **)vector_at(&cache->pieces, i));
	vector_deinit(&cache->pieces);
	vector_deinit(&cache->blocks);
	address_map_deinit(&cache->index_of_block);
}

/* Room for so many blocks, one behind the other. */
static ompd_rc_t make_room(struct memory_cache *cache, size_t count)
{
	const size_t taken = count > PIECE_BLOCKS ? count : PIECE_BLOCKS;
	void *bytes = NULL, *item = NULL;
	ompd_rc_t rc = ompd_rc_ok;

	if (count > MEMORY_BLOCKS_MAX - cache->blocks.count)
		return ompd_rc_nomem;
	if (count <= cache->room_blocks)
		return rc;
	rc = callback_alloc_to_fill(taken, MEMORY_BLOCK_BYTES, &bytes);
	if (rc == ompd_rc_ok)
		rc = vector_add(&cache->pieces, 1, MEMORY_BLOCKS_MAX, &item);
	if (rc != ompd_rc_ok) {
		callback_free(bytes);
		return rc;
	}
	*(uint8_t **)item = cache->room = bytes;
	cache->room_blocks = taken;
	return rc;
}

/* What was read into the room. It stays there: much would have to be moved if all had to lie in one piece. */
static ompd_rc_t keep_blocks(struct memory_cache *cache, uint64_t first, size_t count)
{
	const uint32_t index = (uint32_t)cache->blocks.count;
	void *item;
	ompd_rc_t rc = vector_add(&cache->blocks, count, MEMORY_BLOCKS_MAX, &item);

	for (uint32_t i = 0; rc == ompd_rc_ok && i < count; i++) {
		((uint8_t **)item)[i] = cache->room;
		cache->room += MEMORY_BLOCK_BYTES;
		cache->room_blocks--;
		if (address_map_get(&cache->index_of_block, first + i) == ADDRESS_MAP_NONE)
			rc = address_map_put(&cache->index_of_block, first + i, index + i);
	}
	return rc;
}

/* The blocks from first to last, in one read; those between that are known stay as they are. */
static ompd_rc_t read_blocks(struct memory_cache *cache, ompd_address_space_context_t *context,
			     uint64_t first, uint64_t last)
{
	const size_t count = (size_t)(last - first + 1);
	ompd_rc_t rc = make_room(cache, count);

	if (rc == ompd_rc_ok)
		rc = callback_read(context, first * MEMORY_BLOCK_BYTES, count * MEMORY_BLOCK_BYTES,
				   cache->room);
	if (rc == ompd_rc_ok)
		return keep_blocks(cache, first, count);
	/* Of several nobody knows which it was. */
	if (rc == ompd_rc_error && count == 1)
		(void)address_map_put(&cache->index_of_block, first, NOT_WHOLE);
	return rc;
}

/* error, nomem: some of them are not known, and cannot be. */
static ompd_rc_t know_blocks(struct memory_cache *cache, ompd_address_space_context_t *context,
			     uint64_t first, uint64_t last)
{
	uint64_t first_missing = UINT64_MAX, last_missing = 0;

	for (uint64_t block = first; block <= last; block++) {
		const uint32_t index = address_map_get(&cache->index_of_block, block);

		if (index == NOT_WHOLE)
			return ompd_rc_error;
		if (index != ADDRESS_MAP_NONE)
			continue;
		if (first_missing == UINT64_MAX)
			first_missing = block;
		last_missing = block;
	}
	if (first_missing == UINT64_MAX)
		return ompd_rc_ok;
	return read_blocks(cache, context, first_missing, last_missing);
}

static ompd_rc_t know_bytes(struct memory_cache *cache, ompd_address_space_context_t *context,
			    ompd_addr_t address, ompd_size_t size)
{
	const uint64_t first = address / MEMORY_BLOCK_BYTES;
	const uint64_t last = (address + size - 1) / MEMORY_BLOCK_BYTES;

	/* The last block's end is no address. */
	if (size == 0 || last < first || last == UINT64_MAX / MEMORY_BLOCK_BYTES ||
	    last - first >= MEMORY_BLOCKS_MAX)
		return ompd_rc_error;
	return know_blocks(cache, context, first, last);
}

static void copy_known(const struct memory_cache *cache, ompd_addr_t address, ompd_size_t size,
		       uint8_t *to)
{
	while (size) {
		const size_t offset = (size_t)(address % MEMORY_BLOCK_BYTES);
		const size_t room = MEMORY_BLOCK_BYTES - offset;
		const size_t part = room < size ? room : (size_t)size;
		const uint8_t *block = *(uint8_t **)vector_at(
			&cache->blocks,
			address_map_get(&cache->index_of_block, address / MEMORY_BLOCK_BYTES));

		memcpy(to, block + offset, part);
		to += part;
		address += part;
		size -= part;
	}
}

ompd_rc_t memory_cache_read(struct memory_cache *cache, ompd_address_space_context_t *context,
			    ompd_addr_t address, ompd_size_t size, void *buffer)
{
	ompd_rc_t rc = know_bytes(cache, context, address, size);

	if (rc == ompd_rc_ok)
		copy_known(cache, address, size, buffer);
	else if (rc == ompd_rc_error || rc == ompd_rc_nomem)
		rc = callback_read(context, address, size, buffer);
	return rc;
}

void memory_cache_expect(struct memory_cache *cache, ompd_address_space_context_t *context,
			 ompd_addr_t address, ompd_size_t size)
{
	(void)know_bytes(cache, context, address, size);
}
