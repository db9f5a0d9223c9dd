/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a thread that is in no region idle for certain?
 */
#include "runtime/llvm/picture.h"
#include "runtime/llvm/reads.h"
#include "target/limits.h"

/* The team of an idle thread: dead, so read without those that enclosed it. */
static ompd_rc_t add_dead_team(struct picture *picture, target_addr address, uint32_t *index)
{
	struct seen_team *seen;
	struct team team;
	void *item;
	ompd_rc_t rc = llvm_read_team(picture->space, picture->llvm, address, &team);

	if (rc == ompd_rc_ok)
		rc = vector_add(&picture->teams, 1, VIEW_REGIONS_MAX, &item);
	if (rc != ompd_rc_ok)
		return rc;
	seen = item;
	seen->team = team;
	seen->parent = PICTURE_NONE;
	*index = (uint32_t)picture->teams.count - 1;
	rc = address_map_put(&picture->team_of_address, address, *index);
	return rc == ompd_rc_ok ? picture_read_team_threads(picture, seen) : rc;
}

/* Whether the team lists the thread, or is about to. A team that shrank keeps its threads behind the first
 * t_nproc. */
static ompd_rc_t lists(const struct picture *picture, const struct seen_team *seen,
		       const struct info *info, bool *ret)
{
	const struct target *target = &picture->space->target;
	target_addr listed = 0;
	ompd_rc_t rc = ompd_rc_ok;

	if (info->ds_tid < seen->team.t_nproc)
		listed = seen->threads[info->ds_tid];
	else if (info->ds_tid < THREADS_MAX)
		rc = target_read_pointer(target,
					 seen->team.t_threads +
						 (target_addr)info->ds_tid *
							 target->sizes.sizeof_pointer,
					 &listed);
	else
		rc = ompd_rc_error;
	*ret = rc == ompd_rc_ok &&
	       (listed == info->address || picture_is_joining(picture, seen, info, listed));
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

ompd_rc_t picture_prove_idle(struct picture *picture, struct seen_thread *thread)
{
	uint32_t index = address_map_get(&picture->team_of_address, thread->info.th_team);
	const struct seen_team *seen;
	uint32_t primary;
	bool listed;
	ompd_rc_t rc = ompd_rc_ok;

	/* In the pool a thread has no team. */
	if (thread->info.th_team == 0)
		return ompd_rc_ok;
	if (index == ADDRESS_MAP_NONE)
		rc = add_dead_team(picture, thread->info.th_team, &index);
	if (rc == ompd_rc_error) {
		thread->problem = ompdx_problem_unreadable;
		return ompd_rc_ok;
	}
	if (rc != ompd_rc_ok)
		return rc;
	seen = picture_team(picture, index);
	if (!seen->threads) {
		thread->problem = seen->problem;
		return ompd_rc_ok;
	}
	rc = lists(picture, seen, &thread->info, &listed);
	if (rc != ompd_rc_ok)
		return rc;
	primary = address_map_get(&picture->thread_of_address, seen->threads[0]);
	if (!listed) {
		diagnostics_note_address(&picture->space->diagnostics,
					 DIAGNOSTIC_thread_inconsistent, thread->info.address);
		thread->problem = ompdx_problem_inconsistent;
	} else if (primary == ADDRESS_MAP_NONE) {
		thread->problem = ompdx_problem_unreadable;
	} else {
		thread->problem = picture_thread(picture, primary)->problem;
	}
	return ompd_rc_ok;
}
