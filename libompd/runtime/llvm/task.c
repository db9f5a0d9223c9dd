/* SPDX-License-Identifier: Apache-2.0
 *
 * libomp's tasks. An entity's address is the kmp_taskdata_t's, its part that of the region: the serialized
 * regions of one team share one implicit task's structure.
 */
#include "runtime/llvm/answers.h"
#include "runtime/llvm/llvm.h"
#include "runtime/llvm/nesting.h"
#include "runtime/llvm/parallel.h"
#include "runtime/llvm/reads.h"
#include "runtime/llvm/ready.h"
#include "runtime/llvm/thread.h"
#include "target/limits.h"

/* The part of a thread's current task that is not its implicit one in the team. unavailable: the thread is
 * between two regions, and has one's team and the other's task. */
static ompd_rc_t part_of_other(struct address_space *space, const struct llvm *llvm,
			       const struct info *info, struct entity region, uint64_t *part)
{
	struct task task;
	struct team team;
	ompd_rc_t rc = llvm_read_task(space, llvm, info->th_current_task, &task);

	*part = region.part;
	if (rc != ompd_rc_ok || task.td_team == info->th_team)
		return rc;
	if (!task.explicit_task)
		return ompd_rc_unavailable;
	/* A helper thread executes other teams' tasks. In which of several serialized regions such a task was made
	 * is not known. */
	rc = llvm_read_team(space, llvm, task.td_team, &team);
	if (rc == ompd_rc_ok && team.t_nproc < 2)
		rc = ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		*part = part_of_level(team.t_level);
	return rc;
}

ompd_rc_t llvm_task_of_thread(struct address_space *space, struct entity thread,
			      struct entity *task)
{
	struct entity region;
	target_addr implicit;
	struct llvm *llvm;
	struct info info;
	struct team team;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = llvm_read_thread(space, llvm, thread, &info);
	/* An idle worker's th_current_task is a leftover. */
	if (rc == ompd_rc_ok)
		rc = llvm_region_of_info(space, llvm, &info, &team, &region);
	if (rc == ompd_rc_ok && info.th_current_task == 0)
		rc = ompd_rc_unavailable;
	if (rc != ompd_rc_ok)
		return rc;
	implicit = team.t_implicit_task_taskdata +
		   (target_addr)info.ds_tid * llvm->structures.task.size;
	task->part = region.part;
	if (info.th_current_task != implicit)
		rc = part_of_other(space, llvm, &info, region, &task->part);
	if (rc == ompd_rc_ok)
		task->address = info.th_current_task;
	return rc;
}

/* The region of a task that has been read. The part is the task's as it was made; a task whose team is a
 * contention group belongs to the league's region. */
static ompd_rc_t region_of(struct address_space *space, const struct llvm *llvm, struct entity task,
			   const struct task *data, struct entity *region)
{
	struct family family;
	ompd_rc_t rc;

	if (data->td_team == 0) {
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_task_inconsistent,
					 task.address);
		return ompd_rc_error;
	}
	region->address = data->td_team;
	region->part = task.part;
	if (!part_is_league(task.part))
		return ompd_rc_ok;
	rc = family_read(space, llvm, data->td_team, &family);
	if (rc == ompd_rc_ok && family.nesting.kind == NESTING_CONTENTION_GROUP)
		region->address = family.parent.address;
	return rc;
}

ompd_rc_t llvm_region_of_task(struct address_space *space, struct entity task,
			      struct entity *region)
{
	struct llvm *llvm;
	struct task data;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = llvm_read_task(space, llvm, task.address, &data);
	return rc == ompd_rc_ok ? region_of(space, llvm, task, &data, region) : rc;
}

/* The initial thread of a league's team executes the implicit task of its contention group; the league's own
 * structure of it is what that one came from. *tasks: whose implicit tasks count for thread 0 of the team. */
static ompd_rc_t find_tasks_of_league(struct address_space *space, const struct llvm *llvm,
				      const struct region *region, target_addr *tasks)
{
	const struct team *league = &region->team;
	target_addr thread, at;
	struct info info;
	ompd_rc_t rc =
		target_read_pointer(&space->target,
				    league->t_threads + (target_addr)region->first_thread *
								space->target.sizes.sizeof_pointer,
				    &thread);

	if (rc == ompd_rc_ok)
		rc = llvm_read_info(space, llvm, thread, &info);
	at = rc == ompd_rc_ok ? info.th_team : 0;
	for (unsigned depth = 0; rc == ompd_rc_ok && at && depth < TEAM_DEPTH_MAX; depth++) {
		struct team team;

		rc = llvm_read_team(space, llvm, at, &team);
		if (rc == ompd_rc_ok && team.t_parent == league->address &&
		    team.t_master_tid == region->first_thread) {
			*tasks = team.t_implicit_task_taskdata;
			return ompd_rc_ok;
		}
		at = rc == ompd_rc_ok ? team.t_parent : 0;
	}
	if (rc == ompd_rc_ok)
		*tasks = league->t_implicit_task_taskdata +
			 (target_addr)region->first_thread * llvm->structures.task.size;
	return rc;
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
	tasks = region.team.t_implicit_task_taskdata;
	if (region.of_league && !region.merged_league)
		rc = find_tasks_of_league(space, llvm, &region, &tasks);
	if (rc != ompd_rc_ok)
		return rc;
	if (tasks == 0)
		return ompd_rc_unavailable;
	task->address = tasks + (target_addr)thread_num * llvm->structures.task.size;
	task->part = entity.part;
	return ompd_rc_ok;
}

ompd_rc_t llvm_initial_task(struct address_space *space, struct entity *task)
{
	struct entity thread, region;
	struct llvm *llvm;
	struct info info;
	struct team team;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = llvm_initial_thread(space, &thread);
	if (rc == ompd_rc_ok)
		rc = llvm_read_thread(space, llvm, thread, &info);
	if (rc == ompd_rc_ok)
		rc = llvm_region_of_info(space, llvm, &info, &team, &region);
	for (unsigned depth = 0; rc == ompd_rc_ok && team.t_parent && depth < TEAM_DEPTH_MAX;
	     depth++)
		rc = llvm_read_team(space, llvm, team.t_parent, &team);
	if (rc == ompd_rc_ok && team.t_parent) {
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_team_cycle, info.th_team);
		rc = ompd_rc_error;
	}
	if (rc != ompd_rc_ok)
		return rc;
	region.address = team.address;
	region.part = part_of_level(0);
	return llvm_task_in_region(space, region, 0, task);
}

/* The task of a contention group came from the league's structure of the same task. */
static ompd_rc_t skip_league(struct address_space *space, const struct llvm *llvm,
			     const struct task *task, target_addr *td_parent)
{
	struct family family;
	struct task data;
	ompd_rc_t rc = family_read(space, llvm, task->td_team, &family);

	if (rc != ompd_rc_ok || *td_parent == 0 || family.nesting.kind != NESTING_CONTENTION_GROUP)
		return rc;
	rc = llvm_read_task(space, llvm, *td_parent, &data);
	if (rc == ompd_rc_ok)
		*td_parent = data.td_parent;
	return rc;
}

/* The implicit tasks of a region were generated by the task that met the construct; those of a serialized
 * region, which share their structure with it, by the one of the region around. */
static ompd_rc_t generating_of_implicit(struct address_space *space, const struct llvm *llvm,
					struct entity task, const struct task *data,
					struct entity *generating)
{
	target_addr td_parent = data->td_parent;
	struct entity within, enclosing;
	struct region region;
	struct task parent;
	ompd_rc_t rc = region_of(space, llvm, task, data, &within);

	if (rc == ompd_rc_ok)
		rc = region_read(space, llvm, within, &region);
	if (rc == ompd_rc_ok)
		rc = region_enclosing(space, llvm, &region, &enclosing);
	if (rc == ompd_rc_ok && part_is_league(task.part))
		rc = skip_league(space, llvm, data, &td_parent);
	if (rc != ompd_rc_ok)
		return rc;
	generating->part = enclosing.part;
	if (enclosing.address == within.address && !part_is_league(enclosing.part)) {
		generating->address = task.address;
		return ompd_rc_ok;
	}
	if (td_parent == 0)
		return ompd_rc_unavailable;
	generating->address = td_parent;
	/* A worker that has not begun its part of the region yet has the td_parent of the one before. */
	rc = llvm_read_task(space, llvm, td_parent, &parent);
	if (rc == ompd_rc_ok && !part_is_league(enclosing.part) &&
	    parent.td_team != enclosing.address)
		rc = ompd_rc_unavailable;
	return rc;
}

ompd_rc_t llvm_generating_task(struct address_space *space, struct entity task,
			       struct entity *generating)
{
	struct task data, parent;
	struct llvm *llvm;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = llvm_read_task(space, llvm, task.address, &data);
	if (rc != ompd_rc_ok)
		return rc;
	if (!data.explicit_task)
		return generating_of_implicit(space, llvm, task, &data, generating);
	if (data.td_parent == 0)
		return ompd_rc_unavailable;
	rc = llvm_read_task(space, llvm, data.td_parent, &parent);
	if (rc != ompd_rc_ok)
		return rc;
	/* Of a task that came from another team it is not known in which of that team's regions it was made. */
	if (parent.td_team != data.td_team)
		return ompd_rc_unavailable;
	generating->address = data.td_parent;
	generating->part = task.part;
	return ompd_rc_ok;
}

ompd_rc_t llvm_function_of_task(struct address_space *space, struct entity entity, target_addr *ret)
{
	struct span routine;
	struct region region;
	struct entity within;
	struct llvm *llvm;
	struct task task;
	uint64_t function = 0;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = llvm_read_task(space, llvm, entity.address, &task);
	if (rc == ompd_rc_ok && task.explicit_task) {
		/* The kmp_task_t stands behind the kmp_taskdata_t. */
		routine = llvm->structures.task.routine;
		rc = member_read(&space->target, entity.address + llvm->structures.task.size,
				 routine, &function);
	} else if (rc == ompd_rc_ok) {
		rc = region_of(space, llvm, entity, &task, &within);
		if (rc == ompd_rc_ok)
			rc = region_read(space, llvm, within, &region);
		/* One thread: serialized. */
		if (rc == ompd_rc_ok && region.generator == ompd_generator_parallel &&
		    region.team_size > 1)
			rc = nesting_function(space, &region.team, &function);
	}
	if (rc == ompd_rc_ok && function == 0)
		return ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		*ret = function;
	return rc;
}
