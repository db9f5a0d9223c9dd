/* SPDX-License-Identifier: Apache-2.0 */
#include "target/address_map.h"

#include <string.h>

#include "target/callbacks.h"

/* Keys come from the target: which of them meet depends on where our own memory lies, which the target does not
 * know. Otherwise it could choose keys that all meet. */
static uint64_t spread(const struct address_map *map, uint64_t key)
{
	const uint64_t seed = (uint64_t)(uintptr_t)map->entries;

	key = (key ^ seed) * UINT64_C(0x9e3779b97f4a7c15);
	key = (key ^ (key >> 32) ^ (seed << 20)) * UINT64_C(0xbf58476d1ce4e5b9);
	return key ^ (key >> 29);
}

/* The entry of key, or the free one where it belongs. Half of the entries are free, so there is one. */
static uint32_t place_of(const struct address_map *map, uint64_t key)
{
	uint32_t place = (uint32_t)spread(map, key) & (map->capacity - 1);

	while (map->entries[place].value != ADDRESS_MAP_NONE && map->entries[place].key != key)
		place = (place + 1) & (map->capacity - 1);
	return place;
}

static ompd_rc_t grow(struct address_map *map)
{
	struct address_map larger = {.used = map->used,
				     .capacity = map->capacity ? map->capacity * 2 : 64};
	void *entries = NULL;
	const ompd_rc_t rc = callback_alloc(larger.capacity, sizeof(*larger.entries), &entries);

	if (rc != ompd_rc_ok)
		return rc;
	larger.entries = entries;
	for (uint32_t i = 0; i < larger.capacity; i++)
		larger.entries[i].value = ADDRESS_MAP_NONE;
	for (uint32_t i = 0; i < map->capacity; i++) {
		if (map->entries[i].value != ADDRESS_MAP_NONE)
			larger.entries[place_of(&larger, map->entries[i].key)] = map->entries[i];
	}
	callback_free(map->entries);
	*map = larger;
	return ompd_rc_ok;
}

ompd_rc_t address_map_put(struct address_map *map, uint64_t key, uint32_t value)
{
	uint32_t place;

	if (map->used * 2 >= map->capacity) {
		const ompd_rc_t rc = grow(map);

		if (rc != ompd_rc_ok)
			return rc;
	}
	place = place_of(map, key);
	if (map->entries[place].value == ADDRESS_MAP_NONE)
		map->used++;
	map->entries[place].key = key;
	map->entries[place].value = value;
	return ompd_rc_ok;
}

uint32_t address_map_get(const struct address_map *map, uint64_t key)
{
	return map->capacity ? map->entries[place_of(map, key)].value : ADDRESS_MAP_NONE;
}

void address_map_deinit(struct address_map *map)
{
	callback_free(map->entries);
	memset(map, 0, sizeof(*map));
}
