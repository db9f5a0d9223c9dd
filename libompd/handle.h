/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles are tokens, not pointers: the number of an address space, a slot in its table and the slot's
 * generation. Each is looked up before anything is dereferenced, so a released, stale or foreign handle
 * is recognised for certain.
 */
#ifndef HANDLE_H
#define HANDLE_H

#include "address_space.h"

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

#endif /* HANDLE_H */
