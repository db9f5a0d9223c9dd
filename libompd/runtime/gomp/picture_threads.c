/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/nesting.h"
#include "runtime/gomp/picture.h"
#include "target/limits.h"

/* A thread that the runtime has just made has nothing yet, but was created with a function of the runtime's. */
static ompd_rc_t was_made(const struct picture *picture, uint64_t pthread, bool *ret)
{
	const struct target *target = &picture->space->target;
	const struct image *image = &picture->space->image;
	target_addr start_routine = 0;
	uint64_t offset;
	ompd_rc_t rc = libc_start_routine_offset(target, &offset);

	if (rc == ompd_rc_ok)
		rc = target_read_pointer(target, pthread + offset, &start_routine);
	/* A program has functions of its own that threads begin with. */
	*ret = rc == ompd_rc_ok && start_routine != 0 &&
	       (image->embeds ? start_routine == picture->gomp->thread_start
			      : image_contains(image, start_routine));
	return rc == ompd_rc_error || rc == ompd_rc_unsupported ? ompd_rc_ok : rc;
}

/* Whether what is not in the picture can be the primary thread of a worker's team. The owner of its pool is that of
 * all teams at level 1. */
static bool may_be_at_work(const struct picture *picture, const struct gomp_thread *thread)
{
	const struct seen_pool *pool = gomp_picture_pool(picture, thread->thread_pool);

	if (pool && gomp_docked(thread, &pool->pool))
		return false;
	if (thread->ts.level == 1 && pool && pool->owner != PICTURE_NONE)
		return picture_thread(picture, pool->owner)->problem != ompdx_problem_none;
	for (size_t i = 0; i < picture->threads.count; i++) {
		if (picture_thread(picture, i)->problem != ompdx_problem_none)
			return true;
	}
	return picture->incomplete || picture->problem != ompdx_problem_none;
}

/* A worker's region; PICTURE_NONE: it is in none. */
static uint32_t region_of_worker(const struct picture *picture, const struct gomp_thread *thread)
{
	const uint32_t index = address_map_get(&picture->team_of_address, thread->ts.team);
	const struct seen_team *team;
	uint32_t member;

	if (index == ADDRESS_MAP_NONE)
		return PICTURE_NONE;
	team = picture_team(picture, index);
	if (thread->ts.level != team->level || thread->ts.team_id < 0 ||
	    thread->ts.team_id >= team->team.nthreads)
		return PICTURE_NONE;
	member = gomp_picture_member(picture, team, thread->ts.team_id);
	if (member == PICTURE_NONE ||
	    picture_thread(picture, member)->native.thread.address != thread->address)
		return PICTURE_NONE;
	return team->region;
}

static void place_worker(const struct picture *picture, struct seen_thread *seen)
{
	const struct gomp_thread *thread = &seen->native.thread;

	seen->kind = ompdx_thread_worker;
	/* One that ends takes its pool and its task away first. */
	if (thread->thread_pool == 0)
		return;
	seen->has_team = true;
	seen->region = region_of_worker(picture, thread);
	if (seen->region == PICTURE_NONE && may_be_at_work(picture, thread))
		seen->problem = ompdx_problem_unreadable;
}

static ompd_rc_t place_thread(struct picture *picture, struct seen_thread *seen)
{
	const struct gomp_thread *thread = &seen->native.thread;
	const uint32_t team = address_map_get(&picture->team_of_address, thread->ts.team);
	bool made = false;
	ompd_rc_t rc = ompd_rc_ok;

	if (seen->outer != PICTURE_NONE)
		seen->kind = seen->native.pthread == picture->initial ? ompdx_thread_initial
								      : ompdx_thread_root;
	if (seen->problem != ompdx_problem_none)
		return ompd_rc_ok;
	if (thread->blank) {
		rc = was_made(picture, seen->native.pthread, &made);
		if (made)
			seen->kind = ompdx_thread_worker;
		return rc;
	}
	if (!gomp_in_region(&thread->ts)) {
		seen->has_team = true;
		seen->region = seen->outer;
	} else if (thread->ts.team_id != 0) {
		place_worker(picture, seen);
	} else {
		if (seen->outer == PICTURE_NONE)
			seen->kind = ompdx_thread_worker;
		seen->has_team = true;
		seen->region = team == ADDRESS_MAP_NONE ? PICTURE_NONE
							: picture_team(picture, team)->region;
	}
	/* There was no more room for it. */
	if (seen->region == PICTURE_NONE && picture->problem != ompdx_problem_none)
		seen->problem = picture->problem;
	return rc;
}

static ompd_rc_t read_current_task(struct picture *picture, struct seen_thread *seen)
{
	const target_addr address = seen->native.thread.task;
	ompd_rc_t rc;

	if (seen->region == PICTURE_NONE || address == 0)
		return ompd_rc_ok;
	rc = gomp_task_read(&picture->space->target, picture->gomp->record, address, &seen->task);
	seen->has_task = rc == ompd_rc_ok && seen->task.kind <= GOMP_TASK_DETACHED;
	if (rc == ompd_rc_error)
		diagnostics_note_address(&picture->space->diagnostics, DIAGNOSTIC_task_unreadable,
					 address);
	else if (rc == ompd_rc_ok && !seen->has_task)
		diagnostics_note_address(&picture->space->diagnostics, DIAGNOSTIC_task_inconsistent,
					 address);
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

/* What no view has room for goes without. */
static void count_levels_and_members(struct picture *picture)
{
	for (size_t i = 0; i < picture->threads.count; i++) {
		struct seen_thread *seen = picture_thread(picture, i);
		const uint32_t depth = seen->region == PICTURE_NONE
					       ? 0
					       : picture_region(picture, seen->region)->depth;

		if (depth > VIEW_LEVELS_MAX - picture->view_levels)
			seen->problem = ompdx_problem_limit;
		else if (seen->problem == ompdx_problem_none)
			picture->view_levels += depth;
	}
	for (size_t i = 0; i < picture->regions.count; i++) {
		struct seen_region *region = picture_region(picture, i);
		const size_t members =
			region->team == PICTURE_NONE
				? 1
				: (size_t)picture_team(picture, region->team)->team.nthreads;

		region->no_members = members > VIEW_MEMBERS_MAX - picture->view_members;
		if (!region->no_members)
			picture->view_members += members;
	}
}

ompd_rc_t gomp_picture_threads(struct picture *picture)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < picture->threads.count; i++) {
		rc = place_thread(picture, picture_thread(picture, i));
		if (rc == ompd_rc_ok)
			rc = read_current_task(picture, picture_thread(picture, i));
	}
	count_levels_and_members(picture);
	return rc;
}
