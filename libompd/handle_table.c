/* SPDX-License-Identifier: Apache-2.0 */
#include "handle_table.h"

#include <string.h>

#include "target/callbacks.h"

static ompd_rc_t grow(struct handle_table *table)
{
	const uint32_t capacity = table->capacity ? table->capacity * 2 : 64;
	void *slots = NULL;
	ompd_rc_t rc;

	if (capacity > HANDLE_MASK(HANDLE_SLOT_BITS))
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

ompd_rc_t handle_table_add(struct handle_table *table, enum handle_kind kind, struct entity entity,
			   uint32_t *number)
{
	if (table->first_free) {
		*number = table->first_free - 1;
		table->first_free = table->slots[*number].next_free;
	} else {
		if (table->count == table->capacity) {
			const ompd_rc_t rc = grow(table);

			if (rc != ompd_rc_ok)
				return rc;
		}
		*number = table->count++;
		table->slots[*number].generation = table->first_generation;
	}
	table->slots[*number].entity = entity;
	table->slots[*number].kind = kind;
	return ompd_rc_ok;
}

void handle_table_release(struct handle_table *table, struct handle_slot *slot)
{
	slot->kind = 0;
	slot->generation++;
	/* A slot whose generations are used up is retired: no token ever names two things. */
	if (handle_generation_valid(slot->generation)) {
		slot->next_free = table->first_free;
		table->first_free = (uint32_t)(slot - table->slots) + 1;
	}
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
	return generation <= HANDLE_MASK(HANDLE_GENERATION_BITS);
}
