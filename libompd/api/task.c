/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP 6.0, 41.6: tasks.
 */
#include "api/question.h"
#include "runtime/runtime.h"

ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *thread_handle,
				    ompd_task_handle_t **task_handle)
{
	struct address_space *space;
	struct entity thread;
	const ompd_rc_t rc = handle_find(thread_handle, HANDLE_THREAD, &space, &thread);

	if (rc != ompd_rc_ok)
		return rc;
	return ask(space->runtime->task_of_thread, space, thread, HANDLE_TASK,
		   (void **)task_handle);
}

ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *task_handle,
					  ompd_task_handle_t **generating_task_handle)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(task_handle, HANDLE_TASK, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	return generating_task_handle ? ompd_rc_unsupported : ompd_rc_bad_input;
}

ompd_rc_t ompd_get_scheduling_task_handle(ompd_task_handle_t *task_handle,
					  ompd_task_handle_t **scheduling_task_handle)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(task_handle, HANDLE_TASK, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	return scheduling_task_handle ? ompd_rc_unsupported : ompd_rc_bad_input;
}

ompd_rc_t ompd_get_task_in_parallel(ompd_parallel_handle_t *parallel_handle, int thread_num,
				    ompd_task_handle_t **task_handle)
{
	struct address_space *space;
	struct entity region;
	const ompd_rc_t rc = handle_find(parallel_handle, HANDLE_PARALLEL, &space, &region);

	if (rc != ompd_rc_ok)
		return rc;
	return ask_numbered(space->runtime->task_in_region, space, region, thread_num, HANDLE_TASK,
			    (void **)task_handle);
}

ompd_rc_t ompd_rel_task_handle(ompd_task_handle_t *task_handle)
{
	return handle_release(task_handle, HANDLE_TASK);
}

ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *task_handle_1,
				   ompd_task_handle_t *task_handle_2, int *cmp_value)
{
	return handle_compare(task_handle_1, task_handle_2, HANDLE_TASK, cmp_value);
}

ompd_rc_t ompd_get_task_function(ompd_task_handle_t *task_handle, ompd_address_t *entry_point)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(task_handle, HANDLE_TASK, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	return entry_point ? ompd_rc_unsupported : ompd_rc_bad_input;
}

ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *task_handle, ompd_frame_info_t *exit_frame,
			      ompd_frame_info_t *enter_frame)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(task_handle, HANDLE_TASK, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	return exit_frame && enter_frame ? ompd_rc_unsupported : ompd_rc_bad_input;
}
