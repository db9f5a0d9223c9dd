/* SPDX-License-Identifier: Apache-2.0
 *
 * Which handle a scope asks for (OpenMP 6.0, 39.10).
 */
#ifndef API_SCOPE_H
#define API_SCOPE_H

#include "handle.h"

/* Finds what a `void *handle` of the ICV and tool-data routines stands for. bad_input: no such scope. */
ompd_rc_t scope_find(const void *handle, ompd_scope_t scope, struct address_space **space,
		     struct entity *entity);

#endif /* API_SCOPE_H */
