/* SPDX-License-Identifier: Apache-2.0
 *
 * ompd-ext.h: snapshots and their parts, frozen memory.
 */
#include "snapshot.h"
#include "handle.h"

#include "api/diagnostics_block.h"
#include "api/first_sizes.h"
#include "target/limits.h"

ompd_rc_t ompdx_freeze(ompd_address_space_handle_t *handle)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (space->target.cache)
		return ompd_rc_bad_input;
	address_space_freeze(space);
	return ompd_rc_ok;
}

ompd_rc_t ompdx_thaw(ompd_address_space_handle_t *handle)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!space->target.cache)
		return ompd_rc_bad_input;
	address_space_thaw(space);
	return ompd_rc_ok;
}

ompd_rc_t ompdx_snapshot_create(ompd_address_space_handle_t *handle,
				const ompdx_native_thread_t *threads, ompd_size_t thread_count,
				ompdx_snapshot_handle_t **snapshot)
{
	struct address_space *space;
	struct snapshot *made;
	ompd_rc_t rc = handle_find(handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!snapshot || (thread_count && !threads) || thread_count > THREADS_MAX ||
	    (thread_count && threads->size < FIRST_NATIVE_SIZE))
		return ompd_rc_bad_input;
	if (!space->runtime->picture)
		return ompd_rc_unsupported;
	rc = snapshot_create(space, threads, thread_count, &made);
	if (rc == ompd_rc_ok)
		*snapshot = made->handle;
	return rc;
}

ompd_rc_t ompdx_snapshot_destroy(ompdx_snapshot_handle_t *handle)
{
	struct snapshot *snapshot;
	const ompd_rc_t rc = snapshot_find(handle, &snapshot);

	if (rc == ompd_rc_ok)
		snapshot_destroy(snapshot);
	return rc;
}

static ompd_rc_t make_of_picture(struct snapshot *snapshot, unsigned part, void **block)
{
	return snapshot->space->runtime->parts[part](snapshot->picture, block);
}

static ompd_rc_t show(ompdx_snapshot_handle_t *handle, unsigned part, bool wanted, const void **ret)
{
	struct snapshot *snapshot;
	const ompd_rc_t rc = snapshot_find(handle, &snapshot);

	if (rc != ompd_rc_ok)
		return rc;
	if (!wanted)
		return ompd_rc_bad_input;
	if (!snapshot->space->runtime->parts[part])
		return ompd_rc_unsupported;
	return snapshot_show(snapshot, part, make_of_picture, ret);
}

ompd_rc_t ompdx_snapshot_view(ompdx_snapshot_handle_t *snapshot, const ompdx_view_t **view)
{
	const void *block;
	const ompd_rc_t rc = show(snapshot, PICTURE_VIEW, view != NULL, &block);

	if (rc == ompd_rc_ok)
		*view = block;
	return rc;
}

ompd_rc_t ompdx_snapshot_tasks(ompdx_snapshot_handle_t *snapshot, const ompdx_tasks_t **tasks)
{
	const void *block;
	const ompd_rc_t rc = show(snapshot, PICTURE_TASKS, tasks != NULL, &block);

	if (rc == ompd_rc_ok)
		*tasks = block;
	return rc;
}

ompd_rc_t ompdx_snapshot_arrivals(ompdx_snapshot_handle_t *snapshot,
				  const ompdx_arrivals_t **arrivals)
{
	const void *block;
	const ompd_rc_t rc = show(snapshot, PICTURE_ARRIVALS, arrivals != NULL, &block);

	if (rc == ompd_rc_ok)
		*arrivals = block;
	return rc;
}

ompd_rc_t ompdx_snapshot_loops(ompdx_snapshot_handle_t *snapshot, const ompdx_loops_t **loops)
{
	const void *block;
	const ompd_rc_t rc = show(snapshot, PICTURE_LOOPS, loops != NULL, &block);

	if (rc == ompd_rc_ok)
		*loops = block;
	return rc;
}

ompd_rc_t ompdx_snapshot_locks(ompdx_snapshot_handle_t *handle,
			       const ompdx_lock_variable_t *variables, ompd_size_t variable_count,
			       const ompdx_locks_t **locks)
{
	struct reading reading;
	struct snapshot *snapshot;
	void *block;
	ompd_rc_t rc = snapshot_find(handle, &snapshot);

	if (rc != ompd_rc_ok)
		return rc;
	if (!locks || (variable_count && !variables) || variable_count > THREADS_MAX ||
	    (variable_count && variables->size < FIRST_VARIABLE_SIZE))
		return ompd_rc_bad_input;
	if (!snapshot->space->runtime->locks)
		return ompd_rc_unsupported;
	reading_begin(&reading, snapshot);
	rc = snapshot->space->runtime->locks(snapshot->picture, variables, variable_count, &block);
	reading_end(&reading);
	if (rc != ompd_rc_ok)
		return rc;
	snapshot_set(snapshot, SNAPSHOT_LOCKS, block);
	*locks = block;
	return ompd_rc_ok;
}

ompd_rc_t ompdx_snapshot_doacross(ompdx_snapshot_handle_t *handle, ompd_addr_t team,
				  int32_t thread_num, const int64_t *iteration,
				  ompd_size_t dimensions, const ompdx_doacross_t **doacross)
{
	const struct doacross_question question = {team, thread_num, iteration, dimensions};
	struct reading reading;
	struct snapshot *snapshot;
	void *block;
	ompd_rc_t rc = snapshot_find(handle, &snapshot);

	if (rc != ompd_rc_ok)
		return rc;
	if (!doacross || (dimensions && !iteration) || dimensions > DOACROSS_DIMENSIONS_MAX)
		return ompd_rc_bad_input;
	if (!snapshot->space->runtime->doacross)
		return ompd_rc_unsupported;
	reading_begin(&reading, snapshot);
	rc = snapshot->space->runtime->doacross(snapshot->picture, &question, &block);
	reading_end(&reading);
	if (rc != ompd_rc_ok)
		return rc;
	snapshot_set(snapshot, SNAPSHOT_DOACROSS, block);
	*doacross = block;
	return ompd_rc_ok;
}

ompd_rc_t ompdx_snapshot_diagnostics(ompdx_snapshot_handle_t *handle,
				     const ompdx_diagnostics_t **diagnostics)
{
	struct snapshot *snapshot;
	void *block;
	ompd_rc_t rc = snapshot_find(handle, &snapshot);

	if (rc != ompd_rc_ok)
		return rc;
	if (!diagnostics)
		return ompd_rc_bad_input;
	rc = diagnostics_block(&snapshot->diagnostics, &block);
	if (rc != ompd_rc_ok)
		return rc;
	snapshot_set(snapshot, SNAPSHOT_DIAGNOSTICS, block);
	*diagnostics = block;
	return ompd_rc_ok;
}
