/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP 6.0, 41.6: tasks.
 */
#include "address_space.h"
#include "api/question.h"
#include "handle.h"
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
	struct entity task;
	const ompd_rc_t rc = handle_find(task_handle, HANDLE_TASK, &space, &task);

	if (rc != ompd_rc_ok)
		return rc;
	return ask(space->runtime->generating_task, space, task, HANDLE_TASK,
		   (void **)generating_task_handle);
}

ompd_rc_t ompd_get_scheduling_task_handle(ompd_task_handle_t *task_handle,
					  ompd_task_handle_t **scheduling_task_handle)
{
	struct address_space *space;
	struct entity task;
	const ompd_rc_t rc = handle_find(task_handle, HANDLE_TASK, &space, &task);

	if (rc != ompd_rc_ok)
		return rc;
	return ask(space->runtime->scheduling_task, space, task, HANDLE_TASK,
		   (void **)scheduling_task_handle);
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
	struct entity task;
	target_addr function;
	ompd_rc_t rc = handle_find(task_handle, HANDLE_TASK, &space, &task);

	if (rc != ompd_rc_ok)
		return rc;
	if (!entry_point)
		return ompd_rc_bad_input;
	if (!space->runtime->function_of_task)
		return ompd_rc_unsupported;
	rc = space->runtime->function_of_task(space, task, &function);
	if (rc == ompd_rc_ok)
		*entry_point = (ompd_address_t){ompd_segment_none, function};
	return rc;
}

static ompd_frame_info_t frame_info(target_addr address, uint32_t flags)
{
	const ompd_frame_info_t info = {{ompd_segment_none, address}, flags};

	return info;
}

ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *task_handle, ompd_frame_info_t *exit_frame,
			      ompd_frame_info_t *enter_frame)
{
	struct address_space *space;
	struct task_frames frames;
	struct entity task;
	ompd_rc_t rc = handle_find(task_handle, HANDLE_TASK, &space, &task);

	if (rc != ompd_rc_ok)
		return rc;
	if (!exit_frame || !enter_frame)
		return ompd_rc_bad_input;
	if (!space->runtime->frames_of_task)
		return ompd_rc_unsupported;
	rc = space->runtime->frames_of_task(space, task, &frames);
	if (rc == ompd_rc_ok || rc == ompd_rc_incomplete) {
		*exit_frame = frame_info(frames.exit_frame, frames.exit_frame_flags);
		*enter_frame = frame_info(frames.enter_frame, frames.enter_frame_flags);
	}
	return rc;
}
