/* SPDX-License-Identifier: Apache-2.0 */
#include "handle.h"

#include "library.h"

/* A token's bits, from the top: kind, space, generation, slot. No pointer of a process has a kind's bits,
 * so pointers are never taken for tokens. */
enum {
	GENERATION_SHIFT = HANDLE_SLOT_BITS,
	SPACE_SHIFT = GENERATION_SHIFT + HANDLE_GENERATION_BITS,
	KIND_SHIFT = SPACE_SHIFT + HANDLE_SPACE_BITS,
};

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
	return (uint32_t)(((uintptr_t)handle >> GENERATION_SHIFT) &
			  HANDLE_MASK(HANDLE_GENERATION_BITS));
}

void *handle_of_space(const struct address_space *space)
{
	return token(HANDLE_SPACE, space->index, space->generation, 0);
}

/* The slot that a token names if it is in use by just that token, else NULL. */
static struct handle_slot *live_slot(struct address_space *space, const void *handle)
{
	const uintptr_t number = (uintptr_t)handle & HANDLE_MASK(HANDLE_SLOT_BITS);
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
	found = library.spaces[((uintptr_t)handle >> SPACE_SHIFT) & HANDLE_MASK(HANDLE_SPACE_BITS)];
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

ompd_rc_t handle_create(struct address_space *space, enum handle_kind kind, struct entity entity,
			void **ret)
{
	struct handle_table *table = &space->handles;
	uint32_t number;
	const ompd_rc_t rc = handle_table_add(table, kind, entity, &number);

	if (rc == ompd_rc_ok)
		*ret = token(kind, space->index, table->slots[number].generation, number);
	return rc;
}

ompd_rc_t handle_find(const void *handle, enum handle_kind kind, struct address_space **space,
		      struct entity *entity)
{
	struct handle_slot *slot;
	const ompd_rc_t rc = find_slot(handle, kind, space, &slot);

	if (rc != ompd_rc_ok)
		return rc;
	(*space)->questions++;
	if (entity) {
		const struct entity none = {0, 0};

		*entity = slot ? slot->entity : none;
	}
	return ompd_rc_ok;
}

ompd_rc_t handle_release(const void *handle, enum handle_kind kind)
{
	struct address_space *space;
	struct handle_slot *slot;
	const ompd_rc_t rc = find_slot(handle, kind, &space, &slot);

	if (rc != ompd_rc_ok)
		return rc;
	handle_table_release(&space->handles, slot);
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
