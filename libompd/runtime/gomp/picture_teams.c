/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/nesting.h"
#include "runtime/gomp/picture.h"
#include "target/callbacks.h"
#include "target/limits.h"

/* ---- Pools ---- */

const struct seen_pool *gomp_picture_pool(const struct picture *picture, target_addr address)
{
	const uint32_t index = address_map_get(&picture->pool_of_address, address);
	const struct seen_pool *seen =
		index == ADDRESS_MAP_NONE ? NULL : vector_at(&picture->pools, index);

	return seen && seen->readable ? seen : NULL;
}

/* The threads that a pool names: at least its owner, which is number 0 where a release names it. Of what is no thread of
 * this pool nothing follows: a place that is not in use holds anything. */
static ompd_rc_t add_pooled(struct picture *picture, target_addr address, struct seen_pool *seen)
{
	const uint32_t all = seen->pool.threads_used;
	const uint32_t first = picture->gomp->record->pool_names_owner ? 0 : 1;
	uint32_t count = picture->incomplete ? all : 1;
	ompd_rc_t rc = ompd_rc_ok;

	if (seen->pool.threads == 0 || seen->pool.threads_size == 0)
		return ompd_rc_ok;
	if (count > seen->pool.threads_size || count > THREADS_MAX || count == 0)
		count = 1;
	for (uint32_t i = first; rc == ompd_rc_ok && i < count; i++) {
		target_addr thread;
		uint32_t index;

		rc = target_read_pointer(&picture->space->target,
					 seen->pool.threads + (target_addr)i * 8, &thread);
		if (rc == ompd_rc_error)
			return ompd_rc_ok;
		if (rc == ompd_rc_ok)
			rc = gomp_picture_add(picture, thread - picture->gomp->tls_offset, &index);
		if (rc == ompd_rc_ok && i == 0 && index != PICTURE_NONE &&
		    picture_thread(picture, index)->native.thread.thread_pool == address)
			seen->owner = index;
	}
	return rc;
}

static ompd_rc_t read_pool(struct picture *picture, target_addr address)
{
	struct seen_pool seen = {.owner = PICTURE_NONE};
	void *item;
	ompd_rc_t rc;

	if (address == 0 || address_map_get(&picture->pool_of_address, address) != ADDRESS_MAP_NONE)
		return ompd_rc_ok;
	rc = gomp_thread_pool_read(&picture->space->target, picture->gomp->record, address,
				   &seen.pool);
	seen.readable = rc == ompd_rc_ok;
	if (rc == ompd_rc_ok)
		rc = add_pooled(picture, address, &seen);
	if (rc == ompd_rc_ok || rc == ompd_rc_error)
		rc = vector_add(&picture->pools, 1, THREADS_MAX, &item);
	if (rc != ompd_rc_ok)
		return rc;
	*(struct seen_pool *)item = seen;
	return address_map_put(&picture->pool_of_address, address,
			       (uint32_t)picture->pools.count - 1);
}

/* ---- Teams ---- */

/* A team's ordered_release; if it is unreadable the team keeps NULL and is marked. */
static ompd_rc_t read_releases(struct picture *picture, struct seen_team *seen)
{
	const size_t count = (size_t)seen->team.nthreads;
	void *releases = NULL;
	ompd_rc_t rc;

	if (count > VIEW_MEMBERS_MAX - picture->release_count) {
		seen->problem = ompdx_problem_limit;
		return ompd_rc_ok;
	}
	picture->release_count += count;
	rc = callback_alloc(count, sizeof(target_addr), &releases);
	if (rc != ompd_rc_ok)
		return rc;
	rc = target_read_pointers(&picture->space->target, seen->team.ordered_release, count,
				  releases);
	if (rc == ompd_rc_ok) {
		seen->releases = releases;
		return rc;
	}
	callback_free(releases);
	seen->problem = ompdx_problem_unreadable;
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

/* One step of a chain: a state, and the team that it is in. */
struct step {
	struct gomp_team_state ts;
	struct gomp_team team;
};

/* Reads the teams from a state outwards, innermost first. *broken: why the chain ends before a state in none. Levels
 * fall from step to step, so it is no longer than they can be. */
static ompd_rc_t read_chain(struct picture *picture, struct gomp_team_state ts,
			    struct vector *chain, ompdx_problem_t *broken)
{
	*broken = ompdx_problem_none;
	chain->count = 0;
	while (gomp_in_region(&ts)) {
		struct step step = {.ts = ts};
		void *item;
		ompd_rc_t rc = gomp_team_of_state(picture->space, picture->gomp, &ts, &step.team);

		if (rc == ompd_rc_error) {
			*broken = ompdx_problem_inconsistent;
			return ompd_rc_ok;
		}
		if (rc == ompd_rc_ok)
			rc = vector_add(chain, 1, TEAM_DEPTH_MAX, &item);
		if (rc != ompd_rc_ok)
			return rc;
		*(struct step *)item = step;
		ts = step.team.prev_ts;
	}
	return ompd_rc_ok;
}

static ompd_rc_t add_team(struct picture *picture, const struct step *step, uint32_t parent,
			  ompdx_problem_t problem, uint32_t *index)
{
	struct seen_team *seen;
	void *item;
	ompd_rc_t rc = vector_add(&picture->teams, 1, VIEW_REGIONS_MAX, &item);

	if (rc != ompd_rc_ok)
		return rc;
	seen = item;
	seen->team = step->team;
	seen->level = step->ts.level;
	seen->active_level = step->ts.active_level;
	seen->parent = parent;
	seen->primary = PICTURE_NONE;
	seen->root = PICTURE_NONE;
	seen->region = PICTURE_NONE;
	seen->problem = problem;
	*index = (uint32_t)picture->teams.count - 1;
	rc = address_map_put(&picture->team_of_address, step->team.address, *index);
	return rc == ompd_rc_ok ? read_releases(picture, seen) : rc;
}

/* Puts a chain into the picture, outermost first. */
static ompd_rc_t add_chain(struct picture *picture, const struct vector *chain,
			   ompdx_problem_t broken)
{
	uint32_t parent = PICTURE_NONE;

	for (size_t i = chain->count; i-- > 0;) {
		const struct step *step = vector_at(chain, i);
		uint32_t index = address_map_get(&picture->team_of_address, step->team.address);
		ompd_rc_t rc = ompd_rc_ok;

		if (index == ADDRESS_MAP_NONE && picture->teams.count == VIEW_REGIONS_MAX) {
			if (picture->problem == ompdx_problem_none)
				diagnostics_note_address(&picture->space->diagnostics,
							 DIAGNOSTIC_regions_cut,
							 step->team.address);
			picture->problem = ompdx_problem_limit;
			return ompd_rc_ok;
		}
		if (index == ADDRESS_MAP_NONE)
			rc = add_team(picture, step, parent,
				      i + 1 == chain->count ? broken : ompdx_problem_none, &index);
		if (rc != ompd_rc_ok)
			return rc;
		parent = index;
	}
	return ompd_rc_ok;
}

/* The thread is number 0 of the chain's first teams, up to where it was a worker. */
static void mark_primary(struct picture *picture, const struct vector *chain, uint32_t thread,
			 ompdx_problem_t broken)
{
	size_t own = 0;

	while (own < chain->count && ((const struct step *)vector_at(chain, own))->ts.team_id == 0)
		own++;
	for (size_t i = 0; i < own; i++) {
		const struct step *step = vector_at(chain, i);
		const uint32_t index =
			address_map_get(&picture->team_of_address, step->team.address);
		struct seen_team *seen;

		if (index == ADDRESS_MAP_NONE)
			continue;
		seen = picture_team(picture, index);
		seen->primary = thread;
		if (own == chain->count && broken == ompdx_problem_none)
			seen->root = thread;
	}
}

/* The teams of a thread that is number 0 of its innermost one: they are alive. */
static ompd_rc_t read_teams_of(struct picture *picture, uint32_t index, struct vector *chain)
{
	const struct gomp_team_state ts = picture_thread(picture, index)->native.thread.ts;
	ompdx_problem_t broken;
	ompd_rc_t rc = read_chain(picture, ts, chain, &broken);

	if (rc == ompd_rc_ok && chain->count)
		rc = add_chain(picture, chain, broken);
	if (rc != ompd_rc_ok)
		return rc;
	mark_primary(picture, chain, index, broken);
	if (address_map_get(&picture->team_of_address, ts.team) == ADDRESS_MAP_NONE)
		picture_thread(picture, index)->problem = broken ? broken : picture->problem;
	return ompd_rc_ok;
}

/* Threads that a team names and nobody else did. A team that is being formed names anything: it has to be a thread of
 * a pool that is known. */
static ompd_rc_t add_members(struct picture *picture, uint32_t team)
{
	const struct gomp *gomp = picture->gomp;
	const uint64_t to_pthread =
		gomp->record->members[MEMBER_gomp_thread__release].offset + gomp->tls_offset;
	const int32_t count = picture_team(picture, team)->team.nthreads;
	ompd_rc_t rc = ompd_rc_ok;

	for (int32_t i = 1; rc == ompd_rc_ok && i < count; i++) {
		const target_addr *releases = picture_team(picture, team)->releases;
		uint32_t ignored;

		if (!releases)
			break;
		rc = gomp_picture_add(picture, releases[i] - to_pthread, &ignored);
	}
	return rc;
}

ompd_rc_t gomp_picture_teams(struct picture *picture)
{
	struct vector chain = {.item_size = sizeof(struct step)};
	uint32_t teams = 0;
	ompd_rc_t rc = ompd_rc_ok;

	/* Threads lead to teams and pools, and these to more threads. */
	for (uint32_t i = 0; rc == ompd_rc_ok && i < picture->threads.count; i++) {
		const struct seen_thread *seen = picture_thread(picture, i);
		const struct gomp_team_state ts = seen->native.thread.ts;

		if (seen->problem != ompdx_problem_none)
			continue;
		rc = read_pool(picture, seen->native.thread.thread_pool);
		if (rc == ompd_rc_ok && gomp_in_region(&ts) && ts.team_id == 0)
			rc = read_teams_of(picture, i, &chain);
		for (; rc == ompd_rc_ok && picture->incomplete && teams < picture->teams.count;
		     teams++)
			rc = add_members(picture, teams);
	}
	vector_deinit(&chain);
	return rc;
}

/* Whether the thread is in the team under this number, by its ts or as thread 0 of those inside. Levels fall from team
 * to team. */
static bool is_in(const struct picture *picture, uint32_t index, target_addr team, int32_t number)
{
	const struct seen_thread *seen = picture_thread(picture, index);
	const struct seen_pool *pool = gomp_picture_pool(picture, seen->native.thread.thread_pool);
	const struct gomp_team_state *ts = &seen->native.thread.ts;

	if (seen->problem != ompdx_problem_none ||
	    (pool && gomp_docked(&seen->native.thread, &pool->pool)))
		return false;
	while (ts->team != team) {
		const uint32_t at = address_map_get(&picture->team_of_address, ts->team);

		if (at == ADDRESS_MAP_NONE || picture_team(picture, at)->primary != index)
			return false;
		ts = &picture_team(picture, at)->team.prev_ts;
	}
	return ts->team_id == number;
}

uint32_t gomp_picture_member(const struct picture *picture, const struct seen_team *seen,
			     int32_t number)
{
	const uint32_t release = picture->gomp->record->members[MEMBER_gomp_thread__release].offset;
	uint32_t index;

	if (number == 0)
		return seen->primary;
	if (!seen->releases)
		return PICTURE_NONE;
	index = address_map_get(&picture->thread_of_address, seen->releases[number] - release);
	return index != ADDRESS_MAP_NONE && is_in(picture, index, seen->team.address, number)
		       ? index
		       : PICTURE_NONE;
}

/* ---- Regions ---- */

static ompd_rc_t add_region(struct picture *picture, const struct seen_region *region,
			    uint32_t *index)
{
	struct seen_region *seen;
	void *item;
	ompd_rc_t rc = ompd_rc_ok;

	*index = PICTURE_NONE;
	if (picture->regions.count == VIEW_REGIONS_MAX) {
		picture->problem = ompdx_problem_limit;
		return ompd_rc_ok;
	}
	rc = vector_add(&picture->regions, 1, VIEW_REGIONS_MAX, &item);
	if (rc != ompd_rc_ok)
		return rc;
	seen = item;
	*seen = *region;
	seen->depth = 1;
	if (region->parent != PICTURE_NONE)
		seen->depth += picture_region(picture, region->parent)->depth;
	*index = (uint32_t)picture->regions.count - 1;
	return ompd_rc_ok;
}

/* Whether regions begin with this thread: it is none of a pool's workers. */
static bool is_root(const struct picture *picture, uint32_t index)
{
	const struct seen_thread *seen = picture_thread(picture, index);
	const struct gomp_thread *thread = &seen->native.thread;
	const uint32_t team = address_map_get(&picture->team_of_address, thread->ts.team);

	if (seen->problem != ompdx_problem_none || thread->blank)
		return false;
	if (!gomp_in_region(&thread->ts))
		return true;
	return thread->ts.team_id == 0 && team != ADDRESS_MAP_NONE &&
	       picture_team(picture, team)->root == index;
}

/* The regions that a thread is in outside of all parallel ones. */
static ompd_rc_t add_outer_regions(struct picture *picture, uint32_t thread)
{
	struct seen_region region = {.generator = ompd_generator_program,
				     .team = PICTURE_NONE,
				     .thread = thread,
				     .parent = PICTURE_NONE};
	struct seen_thread *seen = picture_thread(picture, thread);
	ompd_rc_t rc = add_region(picture, &region, &seen->outer);

	if (rc != ompd_rc_ok || seen->outer == PICTURE_NONE ||
	    !gomp_in_league(&seen->native.thread))
		return rc;
	region.generator = ompd_generator_teams;
	region.parent = seen->outer;
	return add_region(picture, &region, &seen->outer);
}

static ompd_rc_t add_parallel(struct picture *picture, uint32_t index)
{
	struct seen_team *seen = picture_team(picture, index);
	struct seen_region region = {.generator = ompd_generator_parallel,
				     .team = index,
				     .thread = PICTURE_NONE,
				     .parent = PICTURE_NONE,
				     .problem = seen->problem};

	if (seen->parent != PICTURE_NONE) {
		const struct seen_team *parent = picture_team(picture, seen->parent);

		if (seen->root == PICTURE_NONE)
			seen->root = parent->root;
		region.parent = parent->region;
		region.parent_number = seen->team.prev_ts.team_id;
	} else if (seen->root != PICTURE_NONE && seen->level == 1) {
		region.parent = picture_thread(picture, seen->root)->outer;
	}
	/* Where its primary thread is not known, nor is what is around. */
	if (region.parent == PICTURE_NONE && region.problem == ompdx_problem_none)
		region.problem = ompdx_problem_unreadable;
	return add_region(picture, &region, &seen->region);
}

ompd_rc_t gomp_picture_regions(struct picture *picture)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (uint32_t i = 0; rc == ompd_rc_ok && i < picture->threads.count; i++) {
		if (is_root(picture, i))
			rc = add_outer_regions(picture, i);
	}
	for (uint32_t i = 0; rc == ompd_rc_ok && i < picture->teams.count; i++)
		rc = add_parallel(picture, i);
	return rc;
}
