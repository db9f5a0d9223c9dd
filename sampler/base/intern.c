/* SPDX-License-Identifier: Apache-2.0 */
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static uint64_t hash(const uint8_t *bytes, size_t size)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325);

	for (; size >= sizeof value; bytes += sizeof value, size -= sizeof value) {
		uint64_t word;

		memcpy(&word, bytes, sizeof word);
		value = (value ^ word) * UINT64_C(0x9E3779B97F4A7C15);
		value ^= value >> 32;
	}
	for (size_t i = 0; i < size; i++)
		value = (value ^ bytes[i]) * UINT64_C(0x100000001b3);
	return value ^ value >> 32;
}

void interner_init(struct interner *interner, size_t size)
{
	*interner = (struct interner){.size = size};
}

void interner_deinit(struct interner *interner)
{
	free(interner->keys);
	free(interner->slots);
	interner_init(interner, interner->size);
}

static const uint8_t *key_at(const struct interner *interner, uint32_t number)
{
	return interner->keys + (size_t)number * interner->size;
}

static size_t slot_of(const struct interner *interner, const uint8_t *key)
{
	size_t mask = interner->slot_count - 1;
	size_t slot = (size_t)hash(key, interner->size) & mask;

	while (interner->slots[slot] &&
	       memcmp(key_at(interner, interner->slots[slot] - 1), key, interner->size))
		slot = (slot + 1) & mask;
	return slot;
}

static void widen(struct interner *interner)
{
	if ((size_t)interner->count * 2 < interner->slot_count)
		return;
	free(interner->slots);
	interner->slot_count = interner->slot_count ? interner->slot_count * 2 : 64;
	interner->slots = take_memory(interner->slot_count, sizeof *interner->slots);
	for (uint32_t i = 0; i < interner->count; i++)
		interner->slots[slot_of(interner, key_at(interner, i))] = i + 1;
}

uint32_t intern(struct interner *interner, const void *key, bool *is_new)
{
	if (is_new)
		*is_new = false;
	widen(interner);
	size_t slot = slot_of(interner, key);

	if (interner->slots[slot])
		return interner->slots[slot] - 1;
	if (interner->count == INTERNED_MAX)
		return NONE;
	interner->keys =
		grow_array(interner->keys, interner->count, &interner->capacity, interner->size);
	memcpy(interner->keys + (size_t)interner->count * interner->size, key, interner->size);
	interner->slots[slot] = ++interner->count;
	if (is_new)
		*is_new = true;
	return interner->count - 1;
}

const void *interned(const struct interner *interner, uint32_t number)
{
	return key_at(interner, number);
}
