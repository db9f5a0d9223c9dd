/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/picture.h"
#include "runtime/llvm/reads.h"
#include "runtime/llvm/ready.h"
#include "runtime/llvm/thread_array.h"
#include "target/libc.h"
#include "target/limits.h"

static ompd_rc_t read_thread(struct picture *picture, target_addr address, int32_t gtid)
{
	const uint32_t index = (uint32_t)picture->threads.count;
	struct seen_thread *thread;
	void *item;
	ompd_rc_t rc = vector_add(&picture->threads, 1, THREADS_MAX, &item);

	if (rc != ompd_rc_ok)
		return rc;
	thread = item;
	thread->region = PICTURE_NONE;
	thread->ident_flags = -1;
	if (picture->llvm->knows_barriers)
		target_expect(&picture->space->target, address,
			      picture->llvm->barrier_structures.thread_extent.end);
	rc = llvm_read_info(picture->space, picture->llvm, address, &thread->info);
	if (rc == ompd_rc_error) {
		thread->problem = ompdx_problem_unreadable;
		thread->info.address = address;
		thread->info.ds_gtid = gtid;
		return ompd_rc_ok;
	}
	if (rc != ompd_rc_ok)
		return rc;
	if (thread->info.ds_tid >= 0 && thread_array_is_making(&thread->info, gtid)) {
		thread->info.ds_gtid = gtid;
		return address_map_put(&picture->thread_of_address, address, index);
	}
	if (thread->info.ds_gtid != gtid || thread->info.ds_tid < 0) {
		diagnostics_note_address(&picture->space->diagnostics,
					 DIAGNOSTIC_thread_inconsistent, address);
		thread->problem = ompdx_problem_inconsistent;
		thread->info.ds_gtid = gtid;
		/* Still somebody's structure: that thread is damaged, not absent. */
		if (address_map_get(&picture->thread_of_pthread, thread->info.ds_thread) !=
		    ADDRESS_MAP_NONE)
			return ompd_rc_ok;
		return address_map_put(&picture->thread_of_pthread, thread->info.ds_thread, index);
	}
	rc = address_map_put(&picture->thread_of_address, address, index);
	if (rc == ompd_rc_ok)
		rc = address_map_put(&picture->thread_of_pthread, thread->info.ds_thread, index);
	return rc;
}

static ompd_rc_t read_threads(struct picture *picture)
{
	struct thread_array array;
	ompd_rc_t rc = thread_array_read(picture->space, picture->llvm, &array);

	if (rc != ompd_rc_ok)
		return rc;
	for (uint32_t i = 0; rc == ompd_rc_ok && i < array.count; i++) {
		if (array.infos[i])
			rc = read_thread(picture, array.infos[i], (int32_t)i);
	}
	thread_array_deinit(&array);
	return rc;
}

ompd_rc_t picture_map_lwps(struct picture *picture, struct address_map *thread_of_lwp)
{
	uint64_t offset;
	ompd_rc_t rc =
		libc_lwp_offset(&picture->space->target, &picture->space->diagnostics, &offset);

	if (rc == ompd_rc_unsupported)
		return ompd_rc_ok;
	for (size_t i = 0; rc == ompd_rc_ok && i < picture->threads.count; i++) {
		const struct seen_thread *thread = picture_thread(picture, i);
		uint64_t lwp;

		if (thread->is_matched || thread->problem != ompdx_problem_none ||
		    thread->info.ds_thread == 0)
			continue;
		rc = target_read_unsigned(&picture->space->target, thread->info.ds_thread + offset,
					  4, &lwp);
		if (rc == ompd_rc_ok)
			rc = address_map_put(thread_of_lwp, lwp, (uint32_t)i);
		else if (rc == ompd_rc_error)
			rc = ompd_rc_ok;
	}
	return rc;
}

static ompd_rc_t place_thread(struct picture *picture, struct seen_thread *thread)
{
	ompd_rc_t rc;

	if (thread->problem != ompdx_problem_none)
		return ompd_rc_ok;
	thread->region = picture_innermost(picture, &thread->info);
	if (thread->region == PICTURE_NONE && picture->problem != ompdx_problem_none) {
		thread->problem = picture->problem;
		return ompd_rc_ok;
	}
	if (thread->region == PICTURE_NONE)
		return picture_prove_idle(picture, thread);
	rc = picture_ident_flags(picture, thread->info.th_ident, &thread->ident_flags);
	if (rc == ompd_rc_ok && thread->ident_flags >= 0)
		rc = picture_source(picture, thread->info.th_ident, &thread->ident_source);
	if (rc != ompd_rc_ok || thread->info.th_current_task == 0)
		return rc;
	rc = llvm_read_task(picture->space, picture->llvm, thread->info.th_current_task,
			    &thread->task);
	thread->has_task = rc == ompd_rc_ok;
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

ompd_rc_t picture_read_threads(struct picture *picture)
{
	ompd_rc_t rc = llvm_tracks_states(picture->space, picture->llvm, &picture->tracks_states);

	if (rc == ompd_rc_ok || rc == ompd_rc_error)
		rc = read_threads(picture);
	if (rc == ompd_rc_ok)
		rc = picture_read_teams(picture);
	if (rc == ompd_rc_ok)
		picture_check_making(picture);
	for (size_t i = 0; rc == ompd_rc_ok && i < picture->threads.count; i++)
		rc = place_thread(picture, picture_thread(picture, i));
	return rc;
}
