/* SPDX-License-Identifier: Apache-2.0
 *
 * libomp's regions: which one is a thread in, which one encloses another.
 */
#include "runtime/llvm/parallel.h"

#include "runtime/llvm/answers.h"
#include "runtime/llvm/llvm.h"
#include "runtime/llvm/nesting.h"
#include "runtime/llvm/reads.h"
#include "runtime/llvm/ready.h"
#include "runtime/llvm/thread.h"
#include "target/limits.h"

static ompd_rc_t thread_number(struct address_space *space, const struct team *team, int32_t number,
			       target_addr *ret)
{
	return target_read_pointer(
		&space->target,
		team->t_threads + (target_addr)number * space->target.sizes.sizeof_pointer, ret);
}

/* A worker's th_team and ds_tid stay what they were when its region has ended. It is in the team only if
 * the team lists it and the team's thread 0 has not left: the team is that thread's, or encloses it. */
static ompd_rc_t worker_is_member(struct address_space *space, const struct llvm *llvm,
				  const struct info *worker, const struct team *team, bool *ret)
{
	target_addr listed, primary, at;
	struct info info;
	ompd_rc_t rc;

	*ret = false;
	if (worker->ds_tid >= team->t_nproc)
		return ompd_rc_ok;
	rc = thread_number(space, team, worker->ds_tid, &listed);
	if (rc != ompd_rc_ok || listed != worker->address)
		return rc;
	rc = thread_number(space, team, 0, &primary);
	if (rc == ompd_rc_ok)
		rc = llvm_read_info(space, llvm, primary, &info);
	if (rc != ompd_rc_ok)
		return rc;
	at = info.th_team;
	for (unsigned depth = 0; at && depth < TEAM_DEPTH_MAX; depth++) {
		struct team enclosing;

		if (at == team->address) {
			*ret = true;
			return ompd_rc_ok;
		}
		rc = llvm_read_team(space, llvm, at, &enclosing);
		if (rc != ompd_rc_ok)
			return rc;
		at = enclosing.t_parent;
	}
	if (at)
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_team_cycle, info.th_team);
	return at ? ompd_rc_error : ompd_rc_ok;
}

/* Where teams constructs may be around: what a team stands for is told by those that enclose it. */
static ompd_rc_t region_in_teams(struct address_space *space, const struct llvm *llvm,
				 const struct info *info, struct team *team, struct entity *region)
{
	struct family family;
	bool member = true;
	ompd_rc_t rc = family_read(space, llvm, info->th_team, &family);

	if (rc == ompd_rc_ok && info->ds_tid > 0)
		rc = worker_is_member(space, llvm, info, &family.team, &member);
	if (rc != ompd_rc_ok)
		return rc;
	if (!member)
		return ompd_rc_unavailable;
	*team = family.team;
	return nesting_innermost(&family.team, &family.parent, &family.nesting, info->ds_tid,
				 region);
}

ompd_rc_t llvm_region_of_info(struct address_space *space, const struct llvm *llvm,
			      const struct info *info, struct team *team, struct entity *region)
{
	ompd_rc_t rc;

	if (info->th_team == 0)
		return ompd_rc_unavailable;
	if (info->ds_tid < 0)
		return ompd_rc_error;
	if (!info->outside_teams)
		return region_in_teams(space, llvm, info, team, region);
	rc = llvm_read_team(space, llvm, info->th_team, team);
	if (rc != ompd_rc_ok)
		return rc;
	if (team->t_nproc <= 0 || team->t_level < 0) {
		diagnostics_note_address(&space->diagnostics, DIAGNOSTIC_team_inconsistent,
					 team->address);
		return ompd_rc_error;
	}
	/* __kmp_free_team clears t_pkfn when a region ends, also of a team that is kept for the next: by that
	 * libomp's own workers tell whether there is anything to do (13 to 23). */
	if (info->ds_tid > 0 && (info->ds_tid >= team->t_nproc || team->t_pkfn == 0))
		return ompd_rc_unavailable;
	region->address = team->address;
	region->part = part_of_level(team->t_level);
	return ompd_rc_ok;
}

ompd_rc_t llvm_region_of_thread(struct address_space *space, struct entity thread,
				struct entity *region)
{
	struct llvm *llvm;
	struct team team;
	struct info info;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = llvm_read_thread(space, llvm, thread, &info);
	return rc == ompd_rc_ok ? llvm_region_of_info(space, llvm, &info, &team, region) : rc;
}

ompd_rc_t llvm_enclosing_region(struct address_space *space, struct entity entity,
				struct entity *enclosing)
{
	struct region region;
	struct llvm *llvm;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok)
		rc = region_read(space, llvm, entity, &region);
	return rc == ompd_rc_ok ? region_enclosing(space, llvm, &region, enclosing) : rc;
}
