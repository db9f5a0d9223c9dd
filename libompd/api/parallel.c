/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP 6.0, 41.5: parallel regions.
 */
#include "address_space.h"
#include "api/question.h"
#include "handle.h"
#include "runtime/runtime.h"

ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *thread_handle,
					ompd_parallel_handle_t **parallel_handle)
{
	struct address_space *space;
	struct entity thread;
	const ompd_rc_t rc = handle_find(thread_handle, HANDLE_THREAD, &space, &thread);

	if (rc != ompd_rc_ok)
		return rc;
	return ask(space->runtime->region_of_thread, space, thread, HANDLE_PARALLEL,
		   (void **)parallel_handle);
}

ompd_rc_t ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel_handle,
					     ompd_parallel_handle_t **enclosing_parallel_handle)
{
	struct address_space *space;
	struct entity region;
	const ompd_rc_t rc = handle_find(parallel_handle, HANDLE_PARALLEL, &space, &region);

	if (rc != ompd_rc_ok)
		return rc;
	return ask(space->runtime->enclosing_region, space, region, HANDLE_PARALLEL,
		   (void **)enclosing_parallel_handle);
}

ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *task_handle,
					ompd_parallel_handle_t **task_parallel_handle)
{
	struct address_space *space;
	struct entity task;
	const ompd_rc_t rc = handle_find(task_handle, HANDLE_TASK, &space, &task);

	if (rc != ompd_rc_ok)
		return rc;
	return ask(space->runtime->region_of_task, space, task, HANDLE_PARALLEL,
		   (void **)task_parallel_handle);
}

ompd_rc_t ompd_rel_parallel_handle(ompd_parallel_handle_t *parallel_handle)
{
	return handle_release(parallel_handle, HANDLE_PARALLEL);
}

ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *parallel_handle_1,
				       ompd_parallel_handle_t *parallel_handle_2, int *cmp_value)
{
	return handle_compare(parallel_handle_1, parallel_handle_2, HANDLE_PARALLEL, cmp_value);
}
