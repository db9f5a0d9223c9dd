/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles are tokens, not pointers: the number of an address space, a slot in its table and the slot's
 * generation. Each is looked up before anything is dereferenced, so a released, stale or foreign handle
 * is recognised for certain.
 */
#ifndef HANDLE_H
#define HANDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "ompd.h"

struct address_space;

enum handle_kind {
	HANDLE_SPACE = 1,
	HANDLE_THREAD,
	HANDLE_PARALLEL,
	HANDLE_TASK,
	HANDLE_SNAPSHOT, /* its address is of our struct snapshot */
};

/* What a handle stands for. `part` tells apart what the runtime keeps in one structure (nested serialized
 * regions, the initial teams of a league); only the runtime's code looks into it. */
struct entity {
	uint64_t address;
	uint64_t part;
};

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

/* The handle of the address space itself. */
void *handle_of_space(const struct address_space *space);

/* nomem when the debugger has no memory; *ret only with ok. Released by handle_release, or with its space. */
ompd_rc_t handle_create(struct address_space *space, enum handle_kind kind, struct entity entity,
			void **ret);

/* stale_handle: NULL, released, or not one of ours. Of another kind: incompatible_handle for tools of
 * 6.0 and later, bad_input for older ones, which do not know that code. entity may be NULL. */
ompd_rc_t handle_find(const void *handle, enum handle_kind kind, struct address_space **space,
		      struct entity *entity);

ompd_rc_t handle_release(const void *handle, enum handle_kind kind);

/* Compares what two handles of the kind stand for: *ret < 0, 0, > 0 by address space, address, part. */
ompd_rc_t handle_compare(const void *handle_1, const void *handle_2, enum handle_kind kind,
			 int *ret);

/* Frees the table and returns the first generation that none of its handles had. */
uint32_t handle_table_deinit(struct handle_table *table);

/* Whether generations are left for a table that begins with this one. */
bool handle_generation_valid(uint32_t generation);

#endif /* HANDLE_H */
