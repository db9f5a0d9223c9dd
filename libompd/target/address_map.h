/* SPDX-License-Identifier: Apache-2.0
 *
 * From an address in the target, or another number of its, to a number of ours.
 */
#ifndef TARGET_ADDRESS_MAP_H
#define TARGET_ADDRESS_MAP_H

#include <stdint.h>

#include "ompd.h"

#define ADDRESS_MAP_NONE UINT32_MAX

struct address_map {
	struct {
		uint64_t key;
		uint32_t value; /* ADDRESS_MAP_NONE: free */
	} * entries;
	uint32_t used;
	uint32_t capacity; /* a power of two, or 0 */
};

/* A zeroed map is empty. put replaces; nomem leaves the map as it was. */
ompd_rc_t address_map_put(struct address_map *map, uint64_t key, uint32_t value);
uint32_t address_map_get(const struct address_map *map, uint64_t key);
void address_map_deinit(struct address_map *map);

#endif /* TARGET_ADDRESS_MAP_H */
