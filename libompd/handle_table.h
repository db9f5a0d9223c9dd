/* SPDX-License-Identifier: Apache-2.0
 *
 * What the handles of one address space stand for: a slot each. A slot that is used again has a new generation, by
 * which the handle of before is known to be stale.
 */
#ifndef HANDLE_TABLE_H
#define HANDLE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "ompd.h"
#include "runtime/entity.h"

enum handle_kind {
	HANDLE_SPACE = 1,
	HANDLE_THREAD,
	HANDLE_PARALLEL,
	HANDLE_TASK,
	HANDLE_SNAPSHOT, /* its address is of our struct snapshot */
};

/* How many bits of a handle name its space, the generation and the slot. */
#if UINTPTR_MAX > UINT32_MAX
enum { HANDLE_SPACE_BITS = 8, HANDLE_GENERATION_BITS = 25, HANDLE_SLOT_BITS = 28 };
#else
enum { HANDLE_SPACE_BITS = 8, HANDLE_GENERATION_BITS = 8, HANDLE_SLOT_BITS = 13 };
#endif
#define HANDLE_MASK(bits) (((uintptr_t)1 << (bits)) - 1)

struct handle_slot {
	struct entity entity;
	uint32_t generation;
	uint32_t next_free;    /* slot number + 1 */
	enum handle_kind kind; /* 0: free */
};

struct handle_table {
	struct handle_slot *slots;
	uint32_t count;
	uint32_t capacity;
	uint32_t first_free; /* slot number + 1; 0: none */
	/* Of new slots: behind all that earlier spaces of this number used, so that their handles stay stale. */
	uint32_t first_generation;
};

/* Uses a slot; *number is which. nomem: there is none, or the debugger has no memory. */
ompd_rc_t handle_table_add(struct handle_table *table, enum handle_kind kind, struct entity entity,
			   uint32_t *number);

/* The slot is free from now on, and its handle stale. */
void handle_table_release(struct handle_table *table, struct handle_slot *slot);

/* Frees the table and returns the first generation that none of its handles had. */
uint32_t handle_table_deinit(struct handle_table *table);

/* Whether generations are left for a table that begins with this one. */
bool handle_generation_valid(uint32_t generation);

#endif /* HANDLE_TABLE_H */
