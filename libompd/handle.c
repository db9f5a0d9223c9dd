/* SPDX-License-Identifier: Apache-2.0 */
#include "handle.h"

#include <string.h>

#include "address_space.h"
#include "library.h"
#include "target/callbacks.h"

/* A token's bits, from the top: kind, space, generation, slot. No pointer of a process has a kind's bits,
 * so pointers are never taken for tokens. */
#if UINTPTR_MAX > UINT32_MAX
enum { SPACE_BITS = 8, GENERATION_BITS = 25, SLOT_BITS = 28 };
#else
enum { SPACE_BITS = 8, GENERATION_BITS = 8, SLOT_BITS = 13 };
#endif
enum {
	GENERATION_SHIFT = SLOT_BITS,
	SPACE_SHIFT = GENERATION_SHIFT + GENERATION_BITS,
	KIND_SHIFT = SPACE_SHIFT + SPACE_BITS,
};
#define MASK(bits) (((uintptr_t)1 << (bits)) - 1)

static void *token(enum handle_kind kind, unsigned space, uint32_t generation, uint32_t slot)
{
	return (void *)(((uintptr_t)kind << KIND_SHIFT) | ((uintptr_t)space << SPACE_SHIFT) |
			((uintptr_t)generation << GENERATION_SHIFT) | slot);
}

static enum handle_kind token_kind(const void *handle)
{
	return (enum handle_kind)((uintptr_t)handle >> KIND_SHIFT);
}

static uint32_t token_generation(const void *handle)
{
	return (uint32_t)(((uintptr_t)handle >> GENERATION_SHIFT) & MASK(GENERATION_BITS));
}

void *handle_of_space(const struct address_space *space)
{
	return token(HANDLE_SPACE, space->index, space->generation, 0);
}

/* The slot that a token names if it is in use by just that token, else NULL. */
static struct handle_slot *live_slot(struct address_space *space, const void *handle)
{
	const uintptr_t number = (uintptr_t)handle & MASK(SLOT_BITS);
	struct handle_slot *slot;

	if (number >= space->handles.count)
		return NULL;
	slot = &space->handles.slots[number];
	if (slot->kind != token_kind(handle) || slot->generation != token_generation(handle))
		return NULL;
	return slot;
}

static ompd_rc_t wrong_kind(void)
{
	return library.api_version >= OMPD_6_0 ? ompd_rc_incompatible_handle : ompd_rc_bad_input;
}

static ompd_rc_t find_slot(const void *handle, enum handle_kind kind, struct address_space **space,
			   struct handle_slot **slot)
{
	const enum handle_kind actual = token_kind(handle);
	struct address_space *found;

	if (actual < HANDLE_SPACE || actual > HANDLE_SNAPSHOT)
		return ompd_rc_stale_handle;
	found = library.spaces[((uintptr_t)handle >> SPACE_SHIFT) & MASK(SPACE_BITS)];
	if (!found)
		return ompd_rc_stale_handle;
	*slot = NULL;
	if (actual == HANDLE_SPACE) {
		if (handle_of_space(found) != handle)
			return ompd_rc_stale_handle;
	} else {
		*slot = live_slot(found, handle);
		if (!*slot)
			return ompd_rc_stale_handle;
	}
	if (actual != kind)
		return wrong_kind();
	*space = found;
	return ompd_rc_ok;
}

static ompd_rc_t grow(struct handle_table *table)
{
	const uint32_t capacity = table->capacity ? table->capacity * 2 : 64;
	void *slots = NULL;
	ompd_rc_t rc;

	if (capacity > MASK(SLOT_BITS))
		return ompd_rc_nomem;
	rc = callback_alloc(capacity, sizeof(struct handle_slot), &slots);
	if (rc != ompd_rc_ok)
		return rc;
	if (table->count)
		memcpy(slots, table->slots, table->count * sizeof(struct handle_slot));
	callback_free(table->slots);
	table->slots = slots;
	table->capacity = capacity;
	return ompd_rc_ok;
}

ompd_rc_t handle_create(struct address_space *space, enum handle_kind kind, struct entity entity,
			void **ret)
{
	struct handle_table *table = &space->handles;
	struct handle_slot *slot;
	uint32_t number;

	if (table->first_free) {
		number = table->first_free - 1;
		table->first_free = table->slots[number].next_free;
	} else {
		if (table->count == table->capacity) {
			const ompd_rc_t rc = grow(table);

			if (rc != ompd_rc_ok)
				return rc;
		}
		number = table->count++;
		table->slots[number].generation = table->first_generation;
	}
	slot = &table->slots[number];
	slot->entity = entity;
	slot->kind = kind;
	*ret = token(kind, space->index, slot->generation, number);
	return ompd_rc_ok;
}

ompd_rc_t handle_find(const void *handle, enum handle_kind kind, struct address_space **space,
		      struct entity *entity)
{
	struct handle_slot *slot;
	const ompd_rc_t rc = find_slot(handle, kind, space, &slot);

	if (rc == ompd_rc_ok && entity) {
		const struct entity none = {0, 0};

		*entity = slot ? slot->entity : none;
	}
	return rc;
}

ompd_rc_t handle_release(const void *handle, enum handle_kind kind)
{
	struct address_space *space;
	struct handle_slot *slot;
	const ompd_rc_t rc = find_slot(handle, kind, &space, &slot);

	if (rc != ompd_rc_ok)
		return rc;
	slot->kind = 0;
	slot->generation++;
	/* A slot whose generations are used up is retired: no token ever names two things. */
	if (slot->generation <= MASK(GENERATION_BITS)) {
		slot->next_free = space->handles.first_free;
		space->handles.first_free = (uint32_t)(slot - space->handles.slots) + 1;
	}
	return ompd_rc_ok;
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

ompd_rc_t handle_compare(const void *handle_1, const void *handle_2, enum handle_kind kind,
			 int *ret)
{
	struct address_space *space_1, *space_2;
	struct entity entity_1 = {0, 0}, entity_2 = {0, 0};
	ompd_rc_t rc = handle_find(handle_1, kind, &space_1, &entity_1);
	int result;

	if (rc == ompd_rc_ok)
		rc = handle_find(handle_2, kind, &space_2, &entity_2);
	if (rc != ompd_rc_ok)
		return rc;
	if (!ret)
		return ompd_rc_bad_input;
	result = order(space_1->index, space_2->index);
	if (result == 0)
		result = order(entity_1.address, entity_2.address);
	if (result == 0)
		result = order(entity_1.part, entity_2.part);
	*ret = result;
	return ompd_rc_ok;
}

uint32_t handle_table_deinit(struct handle_table *table)
{
	uint32_t next = table->first_generation;

	for (uint32_t i = 0; i < table->count; i++) {
		if (table->slots[i].generation >= next)
			next = table->slots[i].generation + 1;
	}
	callback_free(table->slots);
	memset(table, 0, sizeof(*table));
	return next;
}

bool handle_generation_valid(uint32_t generation)
{
	return generation <= MASK(GENERATION_BITS);
}
