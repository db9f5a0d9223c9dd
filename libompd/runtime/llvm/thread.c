/* SPDX-License-Identifier: Apache-2.0
 *
 * libomp's threads: native thread to kmp_info_t and back. An entity's address is the kmp_info_t's.
 */
#include <string.h>

#include "runtime/llvm/llvm.h"
#include "runtime/llvm/nesting.h"
#include "runtime/llvm/thread_array.h"
#include "target/callbacks.h"

static uint32_t hint_place(uint64_t pthread, uint32_t count)
{
	/* pthread ids differ in the bits above a page; the multiplier spreads them. */
	return (uint32_t)((pthread * UINT64_C(0x9e3779b97f4a7c15)) >> 33) & (count - 1);
}

static void put_hint(struct thread_hint *hints, uint32_t count, const struct info *info)
{
	uint32_t place = hint_place(info->ds_thread, count);

	while (hints[place].info && hints[place].pthread != info->ds_thread)
		place = (place + 1) & (count - 1);
	hints[place].pthread = info->ds_thread;
	hints[place].info = info->address;
	hints[place].gtid = info->ds_gtid;
}

static const struct thread_hint *find_hint(const struct llvm *llvm, uint64_t pthread)
{
	uint32_t place;

	if (llvm->hint_count == 0)
		return NULL;
	place = hint_place(pthread, llvm->hint_count);
	while (llvm->hints[place].info) {
		if (llvm->hints[place].pthread == pthread)
			return &llvm->hints[place];
		place = (place + 1) & (llvm->hint_count - 1);
	}
	return NULL;
}

/* A hint is as good as what the structure and the array say now. */
static ompd_rc_t confirm(struct address_space *space, const struct llvm *llvm,
			 const struct thread_hint *hint, bool *confirmed)
{
	struct info info;
	ompd_rc_t rc = info_read(&space->target, &llvm->structures, hint->info, &info);

	*confirmed = false;
	if (rc == ompd_rc_error)
		return ompd_rc_ok;
	if (rc != ompd_rc_ok || info.ds_thread != hint->pthread || info.ds_gtid != hint->gtid)
		return rc;
	rc = thread_array_holds(space, llvm, hint->gtid, hint->info, confirmed);
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

/* Reads all threads and replaces the hints. */
static ompd_rc_t scan(struct address_space *space, struct llvm *llvm)
{
	struct thread_array array;
	uint32_t count = 64;
	bool incomplete = false;
	void *hints = NULL;
	ompd_rc_t rc = thread_array_read(space, llvm, &array);

	if (rc != ompd_rc_ok)
		return rc;
	while (count < array.count * 2)
		count *= 2;
	rc = callback_alloc(count, sizeof(struct thread_hint), &hints);
	for (uint32_t i = 0; rc == ompd_rc_ok && i < array.count; i++) {
		struct info info;

		if (array.infos[i] == 0)
			continue;
		rc = llvm_read_info(space, llvm, array.infos[i], &info);
		if (rc == ompd_rc_ok && info.ds_gtid == (int32_t)i) {
			put_hint(hints, count, &info);
			continue;
		}
		incomplete = true;
		if (rc == ompd_rc_ok)
			diagnostics_note_address(&space->diagnostics,
						 DIAGNOSTIC_thread_inconsistent, array.infos[i]);
		/* One unreadable thread is no reason to miss the others. */
		if (rc == ompd_rc_error)
			rc = ompd_rc_ok;
	}
	thread_array_deinit(&array);
	if (rc != ompd_rc_ok) {
		callback_free(hints);
		return rc;
	}
	callback_free(llvm->hints);
	llvm->hints = hints;
	llvm->hint_count = count;
	llvm->hints_incomplete = incomplete;
	return ompd_rc_ok;
}

ompd_rc_t llvm_thread_of_pthread(struct address_space *space, uint64_t pthread,
				 struct entity *thread)
{
	const struct thread_hint *hint;
	struct llvm *llvm;
	bool confirmed = false;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc != ompd_rc_ok)
		return rc;
	hint = find_hint(llvm, pthread);
	if (hint) {
		rc = confirm(space, llvm, hint, &confirmed);
		if (rc != ompd_rc_ok)
			return rc;
	}
	if (!confirmed) {
		rc = scan(space, llvm);
		if (rc != ompd_rc_ok)
			return rc;
		hint = find_hint(llvm, pthread);
		/* It may be the one that could not be read. */
		if (!hint)
			return llvm->hints_incomplete ? ompd_rc_error : ompd_rc_unavailable;
	}
	thread->address = hint->info;
	thread->part = 0;
	return ompd_rc_ok;
}

ompd_rc_t llvm_lwp_offset(struct address_space *space, uint64_t *offset)
{
	/* glibc publishes it for libthread_db as three 32-bit words: bits, elements, offset. */
	static const char symbol[] = "_thread_db_pthread_tid";
	const struct target *target = &space->target;
	uint8_t words[12];
	target_addr address;
	ompd_rc_t rc = target_symbol(target, symbol, NULL, &address);

	if (rc == ompd_rc_ok)
		rc = target_read(target, address, sizeof(words), words);
	if (rc == ompd_rc_ok) {
		*offset = target_decode(target, words + 8, 4);
		if (target_decode(target, words, 4) == 32 &&
		    target_decode(target, words + 4, 4) == 1)
			return ompd_rc_ok;
		rc = ompd_rc_error;
	}
	if (rc != ompd_rc_unavailable && rc != ompd_rc_error)
		return rc;
	diagnostics_note(&space->diagnostics, DIAGNOSTIC_lwp_unproven, symbol);
	return ompd_rc_unsupported;
}

/* libomp keeps each thread's number in a thread-local variable, which the debugger finds where the runtime's
 * symbols are. unavailable: it does not. */
static ompd_rc_t find_by_gtid(struct address_space *space, const struct llvm *llvm, uint64_t lwp,
			      struct entity *thread)
{
	const struct target *target = &space->target;
	target_addr variable;
	struct info info;
	uint64_t gtid;
	ompd_rc_t rc;

	if (llvm->source != ompdx_descriptors_symbols)
		return ompd_rc_unavailable;
	rc = target_thread_symbol(target, lwp, "__kmp_gtid",
				  space->image.path[0] ? space->image.path : NULL, &variable);
	if (rc == ompd_rc_ok)
		rc = target_read_unsigned(target, variable, 4, &gtid);
	if (rc == ompd_rc_ok)
		rc = thread_array_at(space, llvm, (int32_t)gtid, &thread->address);
	if (rc == ompd_rc_ok)
		rc = llvm_read_info(space, llvm, thread->address, &info);
	if (rc == ompd_rc_ok && info.ds_gtid != (int32_t)gtid)
		rc = ompd_rc_unavailable;
	thread->part = 0;
	return rc == ompd_rc_error ? ompd_rc_unavailable : rc;
}

/* Goes through all threads: the C library keeps the kernel's ids with the pthreads'. */
static ompd_rc_t find_by_scan(struct address_space *space, const struct llvm *llvm, uint64_t lwp,
			      struct entity *thread)
{
	struct thread_array array;
	uint64_t offset;
	bool found = false;
	ompd_rc_t rc = llvm_lwp_offset(space, &offset);

	if (rc == ompd_rc_ok)
		rc = thread_array_read(space, llvm, &array);
	if (rc != ompd_rc_ok)
		return rc;
	for (uint32_t i = 0; rc == ompd_rc_ok && !found && i < array.count; i++) {
		struct info info;
		uint64_t tid;

		if (array.infos[i] == 0)
			continue;
		rc = llvm_read_info(space, llvm, array.infos[i], &info);
		/* A thread that is just being made has no pthread id yet. */
		if (rc == ompd_rc_ok && (info.ds_gtid != (int32_t)i || info.ds_thread == 0))
			continue;
		if (rc == ompd_rc_ok)
			rc = target_read_unsigned(&space->target, info.ds_thread + offset, 4, &tid);
		if (rc == ompd_rc_error)
			rc = ompd_rc_ok;
		else if (rc == ompd_rc_ok && tid == lwp) {
			thread->address = info.address;
			thread->part = 0;
			found = true;
		}
	}
	thread_array_deinit(&array);
	if (rc != ompd_rc_ok)
		return rc;
	return found ? ompd_rc_ok : ompd_rc_unavailable;
}

ompd_rc_t llvm_thread_of_lwp(struct address_space *space, uint64_t lwp, struct entity *thread)
{
	struct llvm *llvm;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc != ompd_rc_ok)
		return rc;
	rc = find_by_gtid(space, llvm, lwp, thread);
	return rc == ompd_rc_unavailable ? find_by_scan(space, llvm, lwp, thread) : rc;
}

ompd_rc_t llvm_pthread_of_thread(struct address_space *space, struct entity thread,
				 uint64_t *pthread)
{
	struct llvm *llvm;
	struct info info;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = llvm_read_info(space, llvm, thread.address, &info);
	if (rc == ompd_rc_ok)
		*pthread = info.ds_thread;
	return rc;
}

ompd_rc_t llvm_lwp_of_thread(struct address_space *space, struct entity thread, uint64_t *lwp)
{
	uint64_t pthread, offset;
	ompd_rc_t rc = llvm_pthread_of_thread(space, thread, &pthread);

	if (rc == ompd_rc_ok)
		rc = llvm_lwp_offset(space, &offset);
	if (rc != ompd_rc_ok)
		return rc;
	return target_read_unsigned(&space->target, pthread + offset, 4, lwp);
}

ompd_rc_t llvm_thread_in_region(struct address_space *space, struct entity entity, int thread_num,
				struct entity *thread)
{
	struct region region;
	target_addr address;
	struct llvm *llvm;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = region_read(space, llvm, entity, &region);
	if (rc != ompd_rc_ok)
		return rc;
	if (thread_num < 0 || thread_num >= region.team_size)
		return ompd_rc_bad_input;
	rc = target_read_pointer(&space->target,
				 region.team.t_threads +
					 (target_addr)(region.first_thread + thread_num) *
						 space->target.sizes.sizeof_pointer,
				 &address);
	if (rc != ompd_rc_ok)
		return rc;
	/* A team being formed has no thread there yet. */
	if (address == 0)
		return ompd_rc_unavailable;
	thread->address = address;
	thread->part = 0;
	return ompd_rc_ok;
}
