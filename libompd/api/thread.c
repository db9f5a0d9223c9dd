/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP 6.0, 41.4: threads.
 */
#include "address_space.h"
#include "api/question.h"
#include "handle.h"
#include "runtime/runtime.h"

/* A kernel id is an int to the kernel; some tools, LLVM's GDB plugin among them, keep it in a long. */
static ompd_rc_t check_id(const struct target *target, ompd_thread_id_t kind, ompd_size_t size)
{
	const ompd_device_type_sizes_t *sizes = &target->sizes;

	if (kind == OMPD_THREAD_ID_PTHREAD)
		return size == sizes->sizeof_long ? ompd_rc_ok : ompd_rc_bad_input;
	if (kind != OMPD_THREAD_ID_LWP)
		return ompd_rc_unsupported;
	return size == sizes->sizeof_int || size == sizes->sizeof_long ? ompd_rc_ok
								       : ompd_rc_bad_input;
}

ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *parallel_handle, int thread_num,
				      ompd_thread_handle_t **thread_handle)
{
	struct address_space *space;
	struct entity region;
	const ompd_rc_t rc = handle_find(parallel_handle, HANDLE_PARALLEL, &space, &region);

	if (rc != ompd_rc_ok)
		return rc;
	return ask_numbered(space->runtime->thread_in_region, space, region, thread_num,
			    HANDLE_THREAD, (void **)thread_handle);
}

ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle, ompd_thread_id_t kind,
				 ompd_size_t sizeof_thread_id, const void *thread_id,
				 ompd_thread_handle_t **thread_handle)
{
	ompd_rc_t (*find)(struct address_space *, uint64_t, struct entity *);
	struct address_space *space;
	struct entity thread;
	uint64_t id;
	ompd_rc_t rc = handle_find(handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!thread_id || !thread_handle)
		return ompd_rc_bad_input;
	rc = check_id(&space->target, kind, sizeof_thread_id);
	if (rc != ompd_rc_ok)
		return rc;
	find = kind == OMPD_THREAD_ID_PTHREAD ? space->runtime->thread_of_pthread
					      : space->runtime->thread_of_lwp;
	if (!find)
		return ompd_rc_unsupported;
	id = target_decode(&space->target, thread_id, (size_t)sizeof_thread_id);
	rc = find(space, id, &thread);
	if (rc != ompd_rc_ok)
		return rc;
	return handle_create(space, HANDLE_THREAD, thread, (void **)thread_handle);
}

ompd_rc_t ompd_rel_thread_handle(ompd_thread_handle_t *thread_handle)
{
	return handle_release(thread_handle, HANDLE_THREAD);
}

ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *thread_handle_1,
				     ompd_thread_handle_t *thread_handle_2, int *cmp_value)
{
	return handle_compare(thread_handle_1, thread_handle_2, HANDLE_THREAD, cmp_value);
}

ompd_rc_t ompd_get_thread_id(ompd_thread_handle_t *thread_handle, ompd_thread_id_t kind,
			     ompd_size_t sizeof_thread_id, void *thread_id)
{
	ompd_rc_t (*find)(struct address_space *, struct entity, uint64_t *);
	struct address_space *space;
	struct entity thread;
	uint64_t id;
	ompd_rc_t rc = handle_find(thread_handle, HANDLE_THREAD, &space, &thread);

	if (rc != ompd_rc_ok)
		return rc;
	if (!thread_id)
		return ompd_rc_bad_input;
	rc = check_id(&space->target, kind, sizeof_thread_id);
	if (rc != ompd_rc_ok)
		return rc;
	find = kind == OMPD_THREAD_ID_PTHREAD ? space->runtime->pthread_of_thread
					      : space->runtime->lwp_of_thread;
	if (!find)
		return ompd_rc_unsupported;
	rc = find(space, thread, &id);
	if (rc == ompd_rc_ok)
		target_encode(&space->target, id, (size_t)sizeof_thread_id, thread_id);
	return rc;
}

ompd_rc_t ompd_get_device_from_thread(ompd_thread_handle_t *thread_handle,
				      ompd_address_space_handle_t **device)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(thread_handle, HANDLE_THREAD, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!device)
		return ompd_rc_bad_input;
	*device = handle_of_space(space);
	return ompd_rc_ok;
}
