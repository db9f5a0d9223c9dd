/* SPDX-License-Identifier: Apache-2.0
 *
 * The picture of a libomp as the view that the tool gets: one block.
 */
#include "runtime/common/blocks.h"
#include "runtime/llvm/answers.h"
#include "runtime/llvm/picture.h"
#include "target/limits.h"

static const struct seen_region *parent_of(const struct picture *picture,
					   const struct seen_region *region)
{
	return region->parent == PICTURE_NONE ? NULL : picture_region(picture, region->parent);
}

static uint32_t listed_members(const struct seen_region *region)
{
	return region->team_size > 0 && !region->no_members ? (uint32_t)region->team_size : 0;
}

static ompdx_thread_kind_t kind_of(const struct picture *picture, const struct seen_thread *thread)
{
	const struct seen_region *region;
	const struct seen_team *team;

	if (thread->region == PICTURE_NONE)
		return ompdx_thread_worker;
	region = picture_region(picture, thread->region);
	while (parent_of(picture, region)) {
		if (region->helpers)
			return ompdx_thread_helper;
		region = parent_of(picture, region);
	}
	team = picture_team(picture, region->team);
	if (region->generator != ompd_generator_program || !team->threads ||
	    team->threads[0] != thread->info.address)
		return ompdx_thread_worker;
	return thread->info.ds_gtid == 0 ? ompdx_thread_initial : ompdx_thread_root;
}

static ompdx_task_kind_t task_kind_of(const struct picture *picture,
				      const struct seen_thread *thread)
{
	if (!thread->has_task)
		return ompdx_task_none;
	if (thread->task.explicit_task)
		return ompdx_task_explicit;
	return picture_region(picture, thread->region)->generator == ompd_generator_parallel
		       ? ompdx_task_implicit
		       : ompdx_task_initial;
}

static uint32_t write_levels(const struct picture *picture, const struct seen_thread *thread,
			     ompdx_view_level_t *levels)
{
	uint32_t index = thread->region;
	int32_t number = thread->info.ds_tid;
	uint32_t count = 0;

	if (index != PICTURE_NONE &&
	    picture_region(picture, index)->generator == ompd_generator_teams)
		number = 0;
	while (index != PICTURE_NONE) {
		const struct seen_region *region = picture_region(picture, index);

		levels[count].region = index;
		levels[count].thread_num = number;
		count++;
		number = region->parent_number;
		index = region->parent;
	}
	return count;
}

static void write_thread(const struct picture *picture, const struct seen_thread *thread,
			 uint32_t level_first, ompdx_view_level_t *levels, ompdx_view_thread_t *ret)
{
	ret->problem = thread->problem;
	ret->runtime_id = thread->info.ds_gtid;
	ret->address = thread->info.address;
	ret->kind = ompdx_thread_worker;
	if (thread->problem != ompdx_problem_none)
		return;
	ret->kind = kind_of(picture, thread);
	ret->pthread_id = thread->info.ds_thread;
	ret->has_team = thread->info.th_team != 0;
	ret->level_first = level_first;
	ret->level_count = write_levels(picture, thread, levels + level_first);
	ret->task_kind = task_kind_of(picture, thread);
	if (thread->has_task) {
		ret->task = thread->task.address;
		ret->task_final = thread->task.final;
	}
	if (picture->tracks_states == 1) {
		ret->tracked_state = thread->info.state;
		ret->tracked_wait_id = thread->info.wait_id;
	}
}

static void write_threads(const struct picture *picture, const struct view_block *block)
{
	const size_t native_count = picture->natives.count;
	ompdx_view_thread_t *threads = block->threads;
	uint32_t level_first = 0;
	bool lost = false;

	for (size_t i = 0; i < picture->threads.count; i++) {
		const struct seen_thread *thread = picture_thread(picture, i);

		write_thread(picture, thread, level_first, block->levels, &threads[thread->place]);
		level_first += threads[thread->place].level_count;
		threads[thread->place].ident_flags = thread->ident_flags;
		if (thread->ident_source)
			threads[thread->place].ident_source =
				block->text + thread->ident_source - 1;
		/* Its native thread may have ended meanwhile; or it is one of the tool's, and what the
		 * runtime recorded of it is damaged. Or it has none yet. */
		lost = lost || (thread->place >= native_count &&
				(thread->info.ds_thread || thread->problem != ompdx_problem_none));
	}
	for (size_t i = 0; lost && i < native_count; i++) {
		if (threads[i].address == 0)
			threads[i].problem = ompdx_problem_unreadable;
	}
}

static void write_members(const struct picture *picture, const struct seen_region *region,
			  uint32_t *members)
{
	const struct seen_team *team = picture_team(picture, region->team);

	for (int32_t i = 0; i < (int32_t)listed_members(region); i++) {
		members[i] = UINT32_MAX;
		if (team->threads && region->first_thread + i < team->team.t_nproc)
			members[i] =
				picture_place_of(picture, team->threads[region->first_thread + i]);
	}
}

static void write_regions(const struct picture *picture, const struct view_block *block)
{
	ompdx_view_region_t *regions = block->regions;
	uint32_t member_first = 0;

	for (size_t i = 0; i < picture->regions.count; i++) {
		const struct seen_region *region = picture_region(picture, i);
		const struct seen_team *team = picture_team(picture, region->team);
		const bool teams = region->generator == ompd_generator_teams;
		ompdx_view_region_t *ret = &regions[i];

		ret->address = team->team.address;
		ret->serial_depth = teams ? 0 : region->number;
		ret->parent = region->parent;
		ret->generator = region->generator;
		ret->serialized = region->serialized;
		ret->level = region->level;
		ret->active_level = team->team.t_active_level;
		ret->team_size = region->team_size;
		if (teams) {
			ret->league_size = team->nesting.merged_league ? 1 : team->team.t_nproc;
			ret->team_num = (int32_t)region->number;
		}
		ret->problem = team->problem;
		/* Where a team stands is known through those that enclose it. */
		if (ret->problem == ompdx_problem_none && region->parent != PICTURE_NONE)
			ret->problem = regions[region->parent].problem;
		if (ret->problem == ompdx_problem_none && region->no_members)
			ret->problem = ompdx_problem_limit;
		ret->function = region->function;
		ret->helpers = region->helpers;
		ret->cancelled = region->cancelled;
		if (region->source)
			ret->source = block->text + region->source - 1;
		ret->member_first = member_first;
		ret->member_count = listed_members(region);
		write_members(picture, region, block->members + member_first);
		member_first += ret->member_count;
	}
}

ompd_rc_t llvm_view(void *from, void **ret)
{
	const struct picture *picture = from;
	const struct view_counts counts = {
		.natives = picture->natives.count,
		.threads = picture->view_threads,
		.regions = picture->regions.count,
		.levels = picture->view_levels,
		.members = picture->view_members,
		.text = &picture->text,
	};
	struct view_block block;
	const ompd_rc_t rc = view_block_create(&counts, &block);

	if (rc != ompd_rc_ok)
		return rc;
	block.view->problem = picture->problem;
	write_threads(picture, &block);
	write_regions(picture, &block);
	*ret = block.view;
	return ompd_rc_ok;
}
