/* SPDX-License-Identifier: Apache-2.0
 *
 * What libomp keeps only while OMPT is on, which OMP_DEBUG or an OMPT tool does: states, frames, scheduling
 * tasks, a tool's data. Memory that it does not keep up is zero, or old.
 */
#include "runtime/llvm/answers.h"
#include "runtime/llvm/globals.h"
#include "runtime/llvm/nesting.h"
#include "runtime/llvm/reads.h"
#include "runtime/llvm/ready.h"
#include "runtime/llvm/thread.h"
#include "target/limits.h"

/* needs_state_tracking unless OMPT is on. A tool can turn it off again. */
static ompd_rc_t require_tracking(struct address_space *space, struct llvm *llvm)
{
	target_addr ignored;
	int tracks;
	ompd_rc_t rc = global_address(space, llvm, GLOBAL_ompt_enabled, &ignored);

	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		return rc;
	rc = llvm_tracks_states(space, llvm, &tracks);
	if (rc != ompd_rc_ok)
		return rc;
	return tracks == 1 ? ompd_rc_ok : ompd_rc_needs_state_tracking;
}

ompd_rc_t llvm_state_of_thread(struct address_space *space, struct entity thread,
			       ompd_word_t *state, ompd_wait_id_t *wait_id)
{
	struct llvm *llvm;
	struct info info;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = require_tracking(space, llvm);
	if (rc == ompd_rc_ok)
		rc = llvm_read_thread(space, llvm, thread, &info);
	if (rc != ompd_rc_ok)
		return rc;
	*state = info.state;
	*wait_id = info.wait_id;
	return ompd_rc_ok;
}

/* The lightweight team of a region that is not the innermost of the serialized ones that share its team:
 * `inside` regions lie within it, at most SERIAL_DEPTH_MAX. unavailable: it began before OMPT was on.
 * error: the chain goes in a circle. */
static ompd_rc_t find_lightweight(struct address_space *space, const struct llvm *llvm,
				  target_addr team, uint32_t inside, target_addr *ret)
{
	const struct ompt_structures *layout = &llvm->ompt_structures;
	uint64_t at = 0, mark = 0;
	ompd_rc_t rc = member_read(&space->target, team, layout->ompt_serialized_team_info, &at);

	if (inside > SERIAL_DEPTH_MAX)
		return ompd_rc_error;
	for (uint32_t steps = 1; rc == ompd_rc_ok && at && steps < inside; steps++) {
		/* The mark moves on at each power of two: sooner or later it lies in the circle. */
		if ((steps & (steps - 1)) == 0)
			mark = at;
		rc = member_read(&space->target, at, layout->lightweight_parent, &at);
		if (rc == ompd_rc_ok && at == mark) {
			diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_team_inconsistent,
						 team);
			return ompd_rc_error;
		}
	}
	if (rc == ompd_rc_ok && at == 0)
		return ompd_rc_unavailable;
	*ret = at;
	return rc;
}

/* What OMPT knows of a task: in its structure or, for the implicit task of a region that shares its team with
 * serialized ones inside, in a lightweight team. */
static ompd_rc_t read_task_info(struct address_space *space, const struct llvm *llvm,
				struct entity entity, struct ompt_task *ret)
{
	const struct ompt_structures *layout = &llvm->ompt_structures;
	struct entity within = {0, entity.part};
	target_addr lightweight;
	struct region region;
	ompd_rc_t rc = ompt_task_read(&space->target, layout, entity.address, ret);

	if (rc != ompd_rc_ok || part_is_league(entity.part) ||
	    (ret->td_flags & llvm->structures.task.tasktype))
		return rc;
	within.address = ret->td_team;
	rc = region_read(space, llvm, within, &region);
	if (rc != ompd_rc_ok || region.team.t_level == region.level)
		return rc;
	rc = find_lightweight(space, llvm, ret->td_team,
			      (uint32_t)(region.team.t_level - region.level), &lightweight);
	return rc == ompd_rc_ok ? ompt_task_info_read(&space->target, layout, lightweight, ret)
				: rc;
}

ompd_rc_t llvm_scheduling_task(struct address_space *space, struct entity task,
			       struct entity *scheduling)
{
	struct ompt_task info;
	struct task other;
	struct llvm *llvm;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = ompt_task_read(&space->target, &llvm->ompt_structures, task.address, &info);
	if (rc == ompd_rc_ok && !(info.td_flags & llvm->structures.task.tasktype))
		return ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		rc = require_tracking(space, llvm);
	if (rc == ompd_rc_ok && info.scheduling_parent == 0)
		rc = ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		rc = llvm_read_task(space, llvm, info.scheduling_parent, &other);
	if (rc != ompd_rc_ok)
		return rc;
	/* A thread executes tasks of its own team only. */
	if (other.td_team != info.td_team)
		return ompd_rc_unavailable;
	scheduling->address = info.scheduling_parent;
	scheduling->part = task.part;
	return ompd_rc_ok;
}

ompd_rc_t llvm_frames_of_task(struct address_space *space, struct entity task,
			      struct task_frames *ret)
{
	struct ompt_task info;
	struct llvm *llvm;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = require_tracking(space, llvm);
	if (rc == ompd_rc_ok)
		rc = read_task_info(space, llvm, task, &info);
	if (rc != ompd_rc_ok)
		return rc;
	ret->exit_frame = info.exit_frame;
	ret->enter_frame = info.enter_frame;
	ret->exit_frame_flags = info.exit_frame_flags;
	ret->enter_frame_flags = info.enter_frame_flags;
	/* Without a record of this release. */
	return info.flags_known ? ompd_rc_ok : ompd_rc_incomplete;
}

static ompd_rc_t region_data(struct address_space *space, const struct llvm *llvm,
			     struct entity entity, uint64_t *ret)
{
	const struct ompt_structures *layout = &llvm->ompt_structures;
	target_addr lightweight;
	struct region region;
	ompd_rc_t rc = region_read(space, llvm, entity, &region);

	if (rc != ompd_rc_ok)
		return rc;
	/* Whose data a team's are that a league shares with serialized regions is not known. */
	if (region.merged_league)
		return ompd_rc_unavailable;
	if (region.of_league || region.level == region.team.t_level)
		return member_read(&space->target, entity.address, layout->parallel_data, ret);
	rc = find_lightweight(space, llvm, entity.address,
			      (uint32_t)(region.team.t_level - region.level), &lightweight);
	if (rc != ompd_rc_ok)
		return rc;
	return member_read(&space->target, lightweight, layout->lightweight_parallel_data, ret);
}

ompd_rc_t llvm_tool_data(struct address_space *space, ompd_scope_t scope, struct entity entity,
			 uint64_t *ret)
{
	struct ompt_task info;
	struct info thread;
	struct llvm *llvm;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = require_tracking(space, llvm);
	if (rc != ompd_rc_ok)
		return rc;
	switch (scope) {
	case ompd_scope_thread:
		rc = llvm_read_thread(space, llvm, entity, &thread);
		if (rc != ompd_rc_ok)
			return rc;
		return member_read(&space->target, entity.address,
				   llvm->ompt_structures.thread_data, ret);
	case ompd_scope_parallel:
	case ompd_scope_teams:
	case ompd_scope_target:
		return region_data(space, llvm, entity, ret);
	case ompd_scope_implicit_task:
	case ompd_scope_task:
		rc = read_task_info(space, llvm, entity, &info);
		if (rc == ompd_rc_ok)
			*ret = info.task_data;
		return rc;
	case ompd_scope_global:
	case ompd_scope_address_space:
		break;
	}
	/* The tool's own data is in a variable that no build publishes. */
	return ompd_rc_unavailable;
}
