/* SPDX-License-Identifier: Apache-2.0
 *
 * libomp's threads: native thread to kmp_info_t and back. An entity's address is the kmp_info_t's, its part the
 * pthread id, by which a structure that has become another thread's is recognised.
 */
#include "runtime/llvm/thread.h"

#include "runtime/llvm/answers.h"
#include "runtime/llvm/llvm.h"
#include "runtime/llvm/nesting.h"
#include "runtime/llvm/reads.h"
#include "runtime/llvm/ready.h"
#include "runtime/llvm/thread_array.h"
#include "target/libc.h"
#include "target/limits.h"

struct entity llvm_entity_of(const struct info *info)
{
	const struct entity thread = {info->address, info->ds_thread};

	return thread;
}

/* Whether a thread's structure is one of those that libomp has now. */
static ompd_rc_t is_listed(struct address_space *space, const struct llvm *llvm,
			   target_addr address, bool *ret)
{
	struct thread_array array;
	target_addr first;
	ompd_rc_t rc = target_read_pointer(&space->target, llvm->threads, &first);

	*ret = false;
	/* libomp has shut down. */
	if (rc == ompd_rc_ok && first == 0)
		return rc;
	if (rc == ompd_rc_ok)
		rc = thread_array_read(space, llvm, &array);
	if (rc != ompd_rc_ok)
		return rc;
	for (uint32_t i = 0; i < array.count && !*ret; i++)
		*ret = array.infos[i] == address;
	thread_array_deinit(&array);
	return ompd_rc_ok;
}

ompd_rc_t llvm_read_thread(struct address_space *space, const struct llvm *llvm,
			   struct entity thread, struct info *ret)
{
	ompd_rc_t rc = llvm_read_info(space, llvm, thread.address, ret);
	bool listed;

	/* A handle can be older than what libomp notes when the thread has been made. */
	if (rc == ompd_rc_ok && thread.part != 0 && ret->ds_thread != thread.part)
		return ompd_rc_stale_handle;
	/* Memory that is gone is no failure if the thread is gone too. */
	if (rc == ompd_rc_error && is_listed(space, llvm, thread.address, &listed) == ompd_rc_ok &&
	    !listed)
		return ompd_rc_stale_handle;
	return rc;
}

static void deinit_hints(struct thread_hints *hints)
{
	vector_deinit(&hints->list);
	address_map_deinit(&hints->of_pthread);
	address_map_deinit(&hints->of_lwp);
}

void llvm_forget_threads(struct llvm *llvm)
{
	deinit_hints(&llvm->hints);
}

static ompd_rc_t put_hint(struct thread_hints *hints, struct thread_hint hint)
{
	const uint32_t index = (uint32_t)hints->list.count;
	void *item;
	ompd_rc_t rc = vector_add(&hints->list, 1, THREADS_MAX, &item);

	if (rc != ompd_rc_ok)
		return rc;
	*(struct thread_hint *)item = hint;
	rc = address_map_put(&hints->of_pthread, hint.pthread, index);
	if (rc == ompd_rc_ok && hint.lwp)
		rc = address_map_put(&hints->of_lwp, hint.lwp, index);
	return rc;
}

static const struct thread_hint *hint_at(const struct thread_hints *hints,
					 const struct address_map *map, uint64_t id)
{
	const uint32_t index = address_map_get(map, id);

	return index == ADDRESS_MAP_NONE ? NULL : vector_at(&hints->list, index);
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

/* lwp_offset: where the C library keeps the kernel's ids; NULL: they are not asked for. */
static ompd_rc_t read_hint(struct address_space *space, struct llvm *llvm, target_addr address,
			   int32_t gtid, const uint64_t *lwp_offset, struct thread_hints *hints)
{
	struct thread_hint hint = {.info = address, .gtid = gtid};
	struct info info;
	ompd_rc_t rc = llvm_read_info(space, llvm, address, &info);

	/* It is nobody's thread yet. */
	if (rc == ompd_rc_ok && thread_array_is_making(&info, gtid))
		return rc;
	if (rc == ompd_rc_ok && info.ds_gtid != gtid) {
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_thread_inconsistent,
					 address);
		rc = ompd_rc_error;
	}
	if (rc == ompd_rc_ok)
		hint.pthread = info.ds_thread;
	if (rc == ompd_rc_ok && lwp_offset)
		rc = target_read_unsigned(&space->target, hint.pthread + *lwp_offset, 4, &hint.lwp);
	if (rc == ompd_rc_ok)
		return put_hint(hints, hint);
	/* One unreadable thread is no reason to miss the others. */
	hints->incomplete = true;
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

/* Reads all threads and replaces the hints. */
static ompd_rc_t scan(struct address_space *space, struct llvm *llvm, const uint64_t *lwp_offset)
{
	struct thread_hints hints = {.list = {.item_size = sizeof(struct thread_hint)}};
	struct thread_array array;
	ompd_rc_t rc = thread_array_read(space, llvm, &array);

	if (rc != ompd_rc_ok)
		return rc;
	for (uint32_t i = 0; rc == ompd_rc_ok && i < array.count; i++) {
		if (array.infos[i])
			rc = read_hint(space, llvm, array.infos[i], (int32_t)i, lwp_offset, &hints);
	}
	thread_array_deinit(&array);
	if (rc != ompd_rc_ok) {
		deinit_hints(&hints);
		return rc;
	}
	deinit_hints(&llvm->hints);
	llvm->hints = hints;
	return ompd_rc_ok;
}

static void set_thread(const struct thread_hint *hint, struct entity *thread)
{
	thread->address = hint->info;
	thread->part = hint->pthread;
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
	hint = hint_at(&llvm->hints, &llvm->hints.of_pthread, pthread);
	if (hint)
		rc = confirm(space, llvm, hint, &confirmed);
	if (rc == ompd_rc_ok && !confirmed)
		rc = scan(space, llvm, NULL);
	if (rc != ompd_rc_ok)
		return rc;
	hint = hint_at(&llvm->hints, &llvm->hints.of_pthread, pthread);
	/* It may be the one that could not be read. */
	if (!hint)
		return llvm->hints.incomplete ? ompd_rc_error : ompd_rc_unavailable;
	set_thread(hint, thread);
	return ompd_rc_ok;
}

/* libomp keeps each thread's number in a thread-local variable, which the debugger finds where the runtime's
 * symbols are. unavailable: it does not. */
static ompd_rc_t find_by_gtid(struct address_space *space, const struct llvm *llvm, uint64_t lwp,
			      struct entity *thread)
{
	const struct target *target = &space->target;
	target_addr variable, address;
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
		rc = thread_array_at(space, llvm, (int32_t)gtid, &address);
	if (rc == ompd_rc_ok)
		rc = llvm_read_info(space, llvm, address, &info);
	if (rc == ompd_rc_ok && info.ds_gtid != (int32_t)gtid)
		rc = ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		*thread = llvm_entity_of(&info);
	return rc == ompd_rc_error ? ompd_rc_unavailable : rc;
}

/* The C library keeps the kernel's ids with the pthreads'. */
static ompd_rc_t find_by_lwp(struct address_space *space, struct llvm *llvm, uint64_t lwp,
			     struct entity *thread)
{
	const struct thread_hint *hint = hint_at(&llvm->hints, &llvm->hints.of_lwp, lwp);
	uint64_t offset, found = 0;
	bool confirmed = false;
	ompd_rc_t rc = libc_lwp_offset(&space->target, &space->diagnostics, &offset);

	if (rc == ompd_rc_ok && hint)
		rc = confirm(space, llvm, hint, &confirmed);
	if (rc == ompd_rc_ok && confirmed)
		rc = target_read_unsigned(&space->target, hint->pthread + offset, 4, &found);
	if (rc == ompd_rc_error)
		rc = ompd_rc_ok;
	if (rc == ompd_rc_ok && found != lwp)
		rc = scan(space, llvm, &offset);
	if (rc != ompd_rc_ok)
		return rc;
	hint = hint_at(&llvm->hints, &llvm->hints.of_lwp, lwp);
	if (!hint)
		return llvm->hints.incomplete ? ompd_rc_error : ompd_rc_unavailable;
	set_thread(hint, thread);
	return ompd_rc_ok;
}

ompd_rc_t llvm_thread_of_lwp(struct address_space *space, uint64_t lwp, struct entity *thread)
{
	struct llvm *llvm;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc != ompd_rc_ok)
		return rc;
	rc = find_by_gtid(space, llvm, lwp, thread);
	return rc == ompd_rc_unavailable ? find_by_lwp(space, llvm, lwp, thread) : rc;
}

ompd_rc_t llvm_initial_thread(struct address_space *space, struct entity *thread)
{
	struct thread_array array;
	target_addr first = 0;
	struct llvm *llvm;
	struct info info;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = thread_array_read(space, llvm, &array);
	if (rc != ompd_rc_ok)
		return rc;
	for (uint32_t i = 0; first == 0 && i < array.count; i++)
		first = array.infos[i];
	thread_array_deinit(&array);
	if (first == 0)
		return ompd_rc_unavailable;
	rc = llvm_read_info(space, llvm, first, &info);
	if (rc == ompd_rc_ok)
		*thread = llvm_entity_of(&info);
	return rc;
}

ompd_rc_t llvm_pthread_of_thread(struct address_space *space, struct entity thread,
				 uint64_t *pthread)
{
	struct llvm *llvm;
	struct info info;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = llvm_read_thread(space, llvm, thread, &info);
	if (rc == ompd_rc_ok)
		*pthread = info.ds_thread;
	return rc;
}

ompd_rc_t llvm_lwp_of_thread(struct address_space *space, struct entity thread, uint64_t *lwp)
{
	uint64_t pthread, offset;
	ompd_rc_t rc = llvm_pthread_of_thread(space, thread, &pthread);

	if (rc == ompd_rc_ok)
		rc = libc_lwp_offset(&space->target, &space->diagnostics, &offset);
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
	struct info info;
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
	rc = llvm_read_info(space, llvm, address, &info);
	if (rc == ompd_rc_ok)
		*thread = llvm_entity_of(&info);
	return rc;
}
