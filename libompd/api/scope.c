/* SPDX-License-Identifier: Apache-2.0 */
#include "api/scope.h"
#include "handle.h"

#include <stddef.h>

/* 0 for no scope. */
static enum handle_kind kind_of_scope(ompd_scope_t scope)
{
	switch (scope) {
	case ompd_scope_global:
	case ompd_scope_address_space:
		return HANDLE_SPACE;
	case ompd_scope_thread:
		return HANDLE_THREAD;
	case ompd_scope_parallel:
	case ompd_scope_teams:
	case ompd_scope_target:
		return HANDLE_PARALLEL;
	case ompd_scope_implicit_task:
	case ompd_scope_task:
		return HANDLE_TASK;
	}
	return 0;
}

ompd_rc_t scope_find(const void *handle, ompd_scope_t scope, struct address_space **space,
		     struct entity *entity)
{
	const enum handle_kind kind = kind_of_scope(scope);

	if (!handle)
		return ompd_rc_stale_handle;
	if (kind == 0)
		return ompd_rc_bad_input;
	return handle_find(handle, kind, space, entity);
}
