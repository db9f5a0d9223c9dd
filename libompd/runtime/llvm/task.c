/* SPDX-License-Identifier: Apache-2.0
 *
 * libomp's tasks. An entity's address is the kmp_taskdata_t's, its part that of the region: the serialized
 * regions of one team share one implicit task's structure.
 */
#include "runtime/llvm/llvm.h"
#include "runtime/llvm/nesting.h"

ompd_rc_t llvm_task_of_thread(struct address_space *space, struct entity thread,
			      struct entity *task)
{
	struct entity region;
	struct llvm *llvm;
	struct info info;
	/* An idle worker's th_current_task is a leftover. */
	ompd_rc_t rc = llvm_region_of_thread(space, thread, &region);

	if (rc == ompd_rc_ok)
		rc = llvm_threads_ready(space, &llvm);
	if (rc == ompd_rc_ok)
		rc = llvm_read_info(space, llvm, thread.address, &info);
	if (rc != ompd_rc_ok)
		return rc;
	if (info.th_current_task == 0)
		return ompd_rc_unavailable;
	task->address = info.th_current_task;
	task->part = region.part;
	return ompd_rc_ok;
}

/* The part is the task's as it was made; a task whose team is a contention group belongs to the league's
 * region. */
ompd_rc_t llvm_region_of_task(struct address_space *space, struct entity task,
			      struct entity *region)
{
	struct family family;
	struct llvm *llvm;
	struct task data;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = llvm_read_task(space, llvm, task.address, &data);
	if (rc == ompd_rc_ok)
		rc = family_read(space, llvm, data.td_team, &family);
	if (rc != ompd_rc_ok)
		return rc;
	if (family.nesting.kind == NESTING_CONTENTION_GROUP)
		region->address = family.parent.address;
	else
		region->address = data.td_team;
	region->part = task.part;
	return ompd_rc_ok;
}

ompd_rc_t llvm_task_in_region(struct address_space *space, struct entity entity, int thread_num,
			      struct entity *task)
{
	struct region region;
	target_addr tasks;
	struct llvm *llvm;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = region_read(space, llvm, entity, &region);
	if (rc != ompd_rc_ok)
		return rc;
	if (thread_num < 0 || thread_num >= region.team_size)
		return ompd_rc_bad_input;
	tasks = region.family.team.t_implicit_task_taskdata;
	if (tasks == 0)
		return ompd_rc_unavailable;
	task->address = tasks + (target_addr)(region.first_thread + thread_num) *
					llvm->structures.task.size;
	task->part = entity.part;
	return ompd_rc_ok;
}
