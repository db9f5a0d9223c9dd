/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "runtime/llvm/picture.h"
#include "runtime/llvm/reads.h"
#include "target/callbacks.h"
#include "target/limits.h"

ompd_rc_t picture_read_team_threads(struct picture *picture, struct seen_team *seen)
{
	const struct target *target = &picture->space->target;
	const int32_t count = seen->team.t_nproc;
	void *threads = NULL;
	ompd_rc_t rc;

	if (count <= 0 || count > THREADS_MAX) {
		seen->problem = ompdx_problem_inconsistent;
		return ompd_rc_ok;
	}
	if ((size_t)count > VIEW_MEMBERS_MAX - picture->member_count) {
		seen->problem = ompdx_problem_limit;
		return ompd_rc_ok;
	}
	picture->member_count += (size_t)count;
	rc = callback_alloc((ompd_size_t)count, sizeof(target_addr), &threads);
	if (rc != ompd_rc_ok)
		return rc;
	rc = target_read_pointers(target, seen->team.t_threads, (size_t)count, threads);
	if (rc == ompd_rc_ok) {
		seen->threads = threads;
		return rc;
	}
	callback_free(threads);
	if (rc != ompd_rc_error)
		return rc;
	seen->problem = ompdx_problem_unreadable;
	diagnostics_note_address(&picture->space->diagnostics, DIAGNOSTIC_team_unreadable,
				 seen->team.address);
	return ompd_rc_ok;
}

/* Reads the teams from `address` outwards that are not in the picture yet, into `chain`, innermost first.
 * *broken: why the chain ends before a team without parent or one in the picture. */
static ompd_rc_t read_chain(struct picture *picture, target_addr address, struct vector *chain,
			    ompdx_problem_t *broken)
{
	struct diagnostics *notes = &picture->space->diagnostics;

	*broken = ompdx_problem_none;
	chain->count = 0;
	while (address && address_map_get(&picture->team_of_address, address) == ADDRESS_MAP_NONE) {
		struct team team;
		void *item;
		ompd_rc_t rc;

		if (picture->llvm->knows_barriers)
			target_expect(&picture->space->target, address,
				      picture->llvm->barrier_structures.team_extent.end);
		rc = llvm_read_team(picture->space, picture->llvm, address, &team);
		if (rc == ompd_rc_error) {
			*broken = ompdx_problem_unreadable;
			return ompd_rc_ok;
		}
		/* A cycle is longer than any chain can be. */
		if (rc == ompd_rc_ok && chain->count == TEAM_DEPTH_MAX) {
			diagnostics_note_address(notes, DIAGNOSTIC_team_cycle, address);
			*broken = ompdx_problem_limit;
			return ompd_rc_ok;
		}
		if (rc == ompd_rc_ok)
			rc = vector_add(chain, 1, TEAM_DEPTH_MAX, &item);
		if (rc != ompd_rc_ok)
			return rc;
		memcpy(item, &team, sizeof(team));
		address = team.t_parent;
	}
	return ompd_rc_ok;
}

/* What is in the picture stays; who is in what is not in it is marked. */
static void cut(struct picture *picture, target_addr team)
{
	if (picture->problem == ompdx_problem_none)
		diagnostics_note_address(&picture->space->diagnostics, DIAGNOSTIC_regions_cut,
					 team);
	picture->problem = ompdx_problem_limit;
}

/* Moves a chain into the picture, outermost first. */
static ompd_rc_t add_chain(struct picture *picture, const struct vector *chain,
			   ompdx_problem_t broken)
{
	for (size_t i = chain->count; i-- > 0;) {
		const struct team *team = vector_at(chain, i);
		struct seen_team *seen;
		void *item;
		/* Within a cycle the same team comes again. */
		const bool again = address_map_get(&picture->team_of_address, team->address) !=
				   ADDRESS_MAP_NONE;
		ompd_rc_t rc = ompd_rc_ok;

		if (again)
			continue;
		if (picture->teams.count == VIEW_REGIONS_MAX) {
			cut(picture, team->address);
			return ompd_rc_ok;
		}
		rc = vector_add(&picture->teams, 1, VIEW_REGIONS_MAX, &item);
		if (rc != ompd_rc_ok)
			return rc;
		seen = item;
		seen->team = *team;
		seen->parent = broken && i == chain->count - 1
				       ? PICTURE_NONE
				       : address_map_get(&picture->team_of_address, team->t_parent);
		seen->problem = i == chain->count - 1 ? broken : ompdx_problem_none;
		rc = address_map_put(&picture->team_of_address, team->address,
				     (uint32_t)picture->teams.count - 1);
		if (rc == ompd_rc_ok)
			rc = picture_read_team_threads(picture, seen);
		if (rc != ompd_rc_ok)
			return rc;
	}
	return ompd_rc_ok;
}

static void mark_alive(struct picture *picture, uint32_t index)
{
	while (index != PICTURE_NONE && !picture_team(picture, index)->alive) {
		picture_team(picture, index)->alive = true;
		index = picture_team(picture, index)->parent;
	}
}

/* The teams of one thread that is thread 0 of its team. Such a thread is in its team for certain: when it
 * leaves, its th_team becomes the enclosing team. So its team is alive, and all that enclose it are. */
static ompd_rc_t read_teams_of(struct picture *picture, struct seen_thread *primary,
			       struct vector *chain)
{
	const struct seen_team *seen;
	ompdx_problem_t broken;
	uint32_t index;
	ompd_rc_t rc = read_chain(picture, primary->info.th_team, chain, &broken);

	if (rc == ompd_rc_ok)
		rc = add_chain(picture, chain, broken);
	if (rc != ompd_rc_ok)
		return rc;
	index = address_map_get(&picture->team_of_address, primary->info.th_team);
	if (index == ADDRESS_MAP_NONE) {
		primary->problem = broken ? broken : picture->problem;
		return ompd_rc_ok;
	}
	seen = picture_team(picture, index);
	if (!seen->threads)
		primary->problem = seen->problem;
	else if (seen->threads[0] == primary->info.address)
		mark_alive(picture, index);
	return ompd_rc_ok;
}

static ompd_rc_t read_living_teams(struct picture *picture)
{
	struct vector chain = {.item_size = sizeof(struct team)};
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < picture->threads.count; i++) {
		struct seen_thread *thread = picture_thread(picture, i);

		if (thread->problem == ompdx_problem_none && thread->info.ds_tid == 0 &&
		    thread->info.th_team)
			rc = read_teams_of(picture, thread, &chain);
	}
	vector_deinit(&chain);
	return rc;
}

/* A team that is kept for the next region and grows for it has its threads, thread 0 first, before it has its
 * level: as the teams of a league it adds none so far. Only who is in a teams construct is in one of those. */
static bool is_forming(const struct picture *picture, const struct seen_team *seen)
{
	const uint32_t primary =
		seen->threads ? address_map_get(&picture->thread_of_address, seen->threads[0])
			      : ADDRESS_MAP_NONE;

	return seen->nesting.kind == NESTING_LEAGUE && primary != ADDRESS_MAP_NONE &&
	       picture_thread(picture, primary)->info.outside_teams;
}

static void classify(struct picture *picture, struct seen_team *seen)
{
	const struct seen_team *parent =
		seen->parent == PICTURE_NONE ? NULL : picture_team(picture, seen->parent);
	const struct seen_team *grandparent = !parent || parent->parent == PICTURE_NONE
						      ? NULL
						      : picture_team(picture, parent->parent);

	/* With its surroundings unknown it counts as one region. */
	memset(&seen->nesting, 0, sizeof(seen->nesting));
	seen->nesting.kind = NESTING_REGIONS;
	if (!parent && seen->team.t_parent)
		return;
	if (nesting_classify(&seen->team, parent ? &parent->team : NULL,
			     grandparent ? &grandparent->team : NULL,
			     &seen->nesting) == ompd_rc_ok) {
		seen->forming = is_forming(picture, seen);
		return;
	}
	diagnostics_note_address(&picture->space->diagnostics, DIAGNOSTIC_team_inconsistent,
				 seen->team.address);
	memset(&seen->nesting, 0, sizeof(seen->nesting));
	seen->nesting.kind = NESTING_REGIONS;
	if (seen->problem == ompdx_problem_none)
		seen->problem = ompdx_problem_inconsistent;
}

/* Which region of the enclosing team the team was forked in, and by which thread of it. */
static void find_parent(const struct picture *picture, const struct seen_team *seen,
			struct seen_region *region)
{
	struct info forking = {0};

	region->parent = PICTURE_NONE;
	region->parent_number = 0;
	if (seen->parent == PICTURE_NONE)
		return;
	forking.ds_tid = seen->team.t_master_tid;
	forking.th_team = picture_team(picture, seen->parent)->team.address;
	forking.address = 0;
	region->parent = picture_innermost(picture, &forking);
	if (region->parent != PICTURE_NONE &&
	    picture_region(picture, region->parent)->generator != ompd_generator_teams)
		region->parent_number = seen->team.t_master_tid;
}

static ompd_rc_t add_region(struct picture *picture, uint32_t team_index,
			    const struct seen_region *region)
{
	struct seen_team *seen = picture_team(picture, team_index);
	struct seen_region *added;
	void *item;
	ompd_rc_t rc;

	if (picture->regions.count == VIEW_REGIONS_MAX) {
		cut(picture, seen->team.address);
		seen->problem = ompdx_problem_limit;
		seen->cut = true;
		return ompd_rc_ok;
	}
	rc = vector_add(&picture->regions, 1, VIEW_REGIONS_MAX, &item);
	if (rc != ompd_rc_ok)
		return rc;
	added = item;
	*added = *region;
	added->depth = 1;
	if (region->parent != PICTURE_NONE)
		added->depth += picture_region(picture, region->parent)->depth;
	if (seen->region_count++ == 0)
		seen->first_region = (uint32_t)picture->regions.count - 1;
	return ompd_rc_ok;
}

static ompd_rc_t add_league(struct picture *picture, uint32_t team_index, uint32_t source)
{
	const struct seen_team *seen = picture_team(picture, team_index);
	const int32_t regions = (int32_t)seen->nesting.serialized_regions;
	struct seen_region region = {.team = team_index,
				     .generator = ompd_generator_teams,
				     .level = seen->team.t_level - regions,
				     .team_size = 1,
				     .source = source};
	ompd_rc_t rc = ompd_rc_ok;

	find_parent(picture, seen, &region);
	for (int32_t i = 0; rc == ompd_rc_ok && i < seen->team.t_nproc; i++) {
		region.number = (uint32_t)i;
		region.first_thread = i;
		rc = add_region(picture, team_index, &region);
	}
	return rc;
}

/* libomp itself forks the team of its hidden helper threads, which no construct stands for, with a function
 * of its own that takes no arguments (kmp_runtime.cpp). */
static bool is_of_helpers(const struct picture *picture, const struct seen_team *seen)
{
	return seen->nesting.kind == NESTING_REGIONS && !seen->nesting.serialized_regions &&
	       image_contains(&picture->space->image, seen->team.t_pkfn) && seen->team.t_argc == 0;
}

/* -1: not known. */
static int32_t member_count(const struct seen_team *seen)
{
	const int32_t count = seen->team.t_nproc;

	return count > 0 && count <= THREADS_MAX && seen->problem != ompdx_problem_limit ? count
											 : -1;
}

/* Nothing also where it is not known. */
static ompdx_cancelled_t read_cancelled(const struct picture *picture, target_addr team)
{
	/* kmp_cancel_kind_t */
	static const ompdx_cancelled_t constructs[] = {
		ompdx_cancelled_nothing, ompdx_cancelled_parallel, ompdx_cancelled_for,
		ompdx_cancelled_sections};
	const struct span at = picture->llvm->structures.team.t_cancel_request;
	uint64_t kind;

	if (at.size != 4 ||
	    target_read_unsigned(&picture->space->target, team + at.offset, 4, &kind) != ompd_rc_ok)
		return ompdx_cancelled_nothing;
	return kind < COUNT(constructs) ? constructs[kind] : ompdx_cancelled_nothing;
}

static ompd_rc_t add_parallel(struct picture *picture, uint32_t team_index, uint32_t source)
{
	const struct seen_team *seen = picture_team(picture, team_index);
	const uint32_t serialized = seen->nesting.serialized_regions;
	const uint32_t count = serialized ? serialized : 1;
	struct seen_region region = {.team = team_index,
				     .generator = seen->nesting.kind == NESTING_INITIAL
							  ? ompd_generator_program
							  : ompd_generator_parallel,
				     .serialized = serialized != 0,
				     .helpers = is_of_helpers(picture, seen),
				     .team_size = member_count(seen),
				     .source = source};
	ompd_rc_t rc = ompd_rc_ok;

	if (seen->nesting.kind == NESTING_REGIONS && !serialized) {
		rc = nesting_function(picture->space, &seen->team, &region.function);
		region.cancelled = read_cancelled(picture, seen->team.address);
	}

	if (seen->nesting.merged_league) {
		region.parent = seen->first_region;
		region.parent_number = 0;
	} else {
		find_parent(picture, seen, &region);
	}
	for (uint32_t depth = 0; rc == ompd_rc_ok && depth < count; depth++) {
		region.number = depth;
		region.level = picture_team(picture, team_index)->team.t_level -
			       (int32_t)(count - 1 - depth);
		rc = add_region(picture, team_index, &region);
		region.parent = (uint32_t)picture->regions.count - 1;
		region.parent_number = 0;
	}
	return rc;
}

static bool adds_no_region(const struct seen_team *seen)
{
	return seen->nesting.kind == NESTING_CONTENTION_GROUP || seen->forming;
}

static ompd_rc_t make_regions(struct picture *picture, uint32_t team_index)
{
	struct seen_team *seen = picture_team(picture, team_index);
	uint32_t source = 0;
	ompd_rc_t rc = ompd_rc_ok;

	classify(picture, seen);
	if (adds_no_region(seen))
		return ompd_rc_ok;
	/* Regions that share a team share its t_ident, and how they were begun decides whose it is. */
	if (seen->nesting.kind != NESTING_INITIAL && seen->nesting.serialized_regions <= 1 &&
	    !seen->nesting.merged_league)
		rc = picture_source(picture, seen->team.t_ident, &source);
	if (rc == ompd_rc_ok &&
	    (seen->nesting.kind == NESTING_LEAGUE || seen->nesting.merged_league))
		rc = add_league(picture, team_index, source);
	if (rc == ompd_rc_ok && seen->nesting.kind != NESTING_LEAGUE)
		rc = add_parallel(picture, team_index, source);
	return rc;
}

ompd_rc_t picture_read_teams(struct picture *picture)
{
	ompd_rc_t rc = read_living_teams(picture);

	for (size_t i = 0; rc == ompd_rc_ok && i < picture->teams.count; i++) {
		if (picture_team(picture, i)->alive)
			rc = make_regions(picture, (uint32_t)i);
	}
	return rc;
}

uint32_t picture_innermost(const struct picture *picture, const struct info *info)
{
	const uint32_t index = address_map_get(&picture->team_of_address, info->th_team);
	const struct seen_team *seen;
	int32_t number = info->ds_tid;

	if (info->th_team == 0 || index == ADDRESS_MAP_NONE)
		return PICTURE_NONE;
	seen = picture_team(picture, index);
	/* What a worker's th_team and ds_tid say is left over unless the living team lists it. */
	if (number < 0 || number >= seen->team.t_nproc ||
	    (info->address && (!seen->threads || seen->threads[number] != info->address)))
		return PICTURE_NONE;
	if (adds_no_region(seen)) {
		if (number != 0)
			return PICTURE_NONE;
		number = seen->team.t_master_tid;
		seen = picture_team(picture, seen->parent);
	}
	if (seen->region_count == 0 || seen->cut)
		return PICTURE_NONE;
	if (seen->nesting.kind == NESTING_LEAGUE)
		return seen->first_region + (uint32_t)number;
	return seen->first_region + seen->region_count - 1;
}
