/* SPDX-License-Identifier: Apache-2.0
 *
 * The picture of a libgomp as the view that the tool gets.
 */
#include "runtime/common/blocks.h"
#include "runtime/gomp/answers.h"
#include "runtime/gomp/picture.h"

static uint32_t place_of(const struct picture *picture, uint32_t thread)
{
	return thread == PICTURE_NONE ? UINT32_MAX : picture_thread(picture, thread)->place;
}

static ompdx_task_kind_t task_kind_of(const struct picture *picture,
				      const struct seen_thread *thread)
{
	if (thread->region == PICTURE_NONE)
		return ompdx_task_none;
	if (thread->has_task && thread->task.kind != GOMP_TASK_IMPLICIT)
		return ompdx_task_explicit;
	if (picture_region(picture, thread->region)->team == PICTURE_NONE)
		return ompdx_task_initial;
	return thread->has_task ? ompdx_task_implicit : ompdx_task_none;
}

static uint32_t write_levels(const struct picture *picture, const struct seen_thread *thread,
			     ompdx_view_level_t *levels)
{
	uint32_t index = thread->region;
	int32_t number =
		index != PICTURE_NONE && picture_region(picture, index)->team != PICTURE_NONE
			? thread->native.thread.ts.team_id
			: 0;
	uint32_t count = 0;

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
			 const struct view_block *block, uint32_t *level_first)
{
	ompdx_view_thread_t *ret = &block->threads[thread->place];

	ret->problem = thread->problem;
	ret->kind = thread->kind;
	ret->pthread_id = thread->native.pthread;
	if (thread->kind == ompdx_thread_none && thread->problem == ompdx_problem_none)
		return;
	ret->address = thread->native.thread.address;
	ret->has_team = thread->has_team;
	if (thread->problem != ompdx_problem_none)
		return;
	ret->level_first = *level_first;
	ret->level_count = write_levels(picture, thread, block->levels + *level_first);
	*level_first += ret->level_count;
	ret->task_kind = task_kind_of(picture, thread);
	if (ret->task_kind == ompdx_task_initial)
		ret->task_final = 0;
	if (thread->has_task) {
		ret->task = thread->task.address;
		ret->task_final = thread->task.final_task;
	}
}

static void write_threads(const struct picture *picture, const struct view_block *block)
{
	uint32_t level_first = 0;

	for (size_t i = 0; i < picture->threads.count; i++) {
		const struct seen_thread *thread = picture_thread(picture, i);

		if (thread->place != PICTURE_NONE)
			write_thread(picture, thread, block, &level_first);
	}
	/* The tool knows a thread where memory shows none. */
	for (size_t i = 0; i < picture->natives.count; i++) {
		if (*(uint32_t *)vector_at(&picture->natives, i) == PICTURE_NONE)
			block->threads[i].problem = ompdx_problem_unreadable;
	}
}

static void write_parallel(const struct picture *picture, const struct seen_region *region,
			   ompdx_view_region_t *ret, uint32_t *members)
{
	const struct seen_team *team = picture_team(picture, region->team);

	ret->address = team->team.address;
	ret->serialized = team->team.nthreads == 1;
	ret->level = team->level;
	ret->active_level = team->active_level;
	ret->team_size = team->team.nthreads;
	ret->barrier_round = picture->gomp->record->barrier_round;
	if (team->team.team_cancelled)
		ret->cancelled = ompdx_cancelled_parallel;
	else if (team->team.work_share_cancelled)
		ret->cancelled = ompdx_cancelled_worksharing;
	for (int32_t i = 0; i < (int32_t)ret->member_count; i++)
		members[i] = place_of(picture, gomp_picture_member(picture, team, i));
}

static void write_outer(const struct picture *picture, const struct seen_region *region,
			ompdx_view_region_t *ret, uint32_t *members)
{
	const struct seen_thread *seen = picture_thread(picture, region->thread);

	/* It has no team: it is told by its thread's structure. */
	ret->address = seen->native.thread.address;
	ret->team_size = 1;
	if (region->generator == ompd_generator_teams) {
		ret->serial_depth = 1;
		ret->league_size = (int32_t)seen->native.thread.num_teams + 1;
		ret->team_num = (int32_t)seen->native.thread.team_num;
	}
	if (ret->member_count)
		members[0] = seen->place;
}

static void write_regions(const struct picture *picture, const struct view_block *block)
{
	uint32_t member_first = 0;

	for (size_t i = 0; i < picture->regions.count; i++) {
		const struct seen_region *region = picture_region(picture, i);
		ompdx_view_region_t *ret = &block->regions[i];
		uint32_t *members = block->members + member_first;

		ret->parent = region->parent;
		ret->generator = region->generator;
		ret->problem = region->problem;
		/* Where a team stands is known through those that enclose it. */
		if (ret->problem == ompdx_problem_none && region->parent != PICTURE_NONE)
			ret->problem = block->regions[region->parent].problem;
		if (ret->problem == ompdx_problem_none && region->no_members)
			ret->problem = ompdx_problem_limit;
		ret->member_first = member_first;
		if (region->no_members)
			ret->member_count = 0;
		else if (region->team == PICTURE_NONE)
			ret->member_count = 1;
		else
			ret->member_count =
				(uint32_t)picture_team(picture, region->team)->team.nthreads;
		if (region->team == PICTURE_NONE)
			write_outer(picture, region, ret, members);
		else
			write_parallel(picture, region, ret, members);
		member_first += ret->member_count;
	}
}

ompd_rc_t gomp_view(void *from, void **ret)
{
	const struct picture *picture = from;
	const struct view_counts counts = {
		.natives = picture->natives.count,
		.threads = picture->view_threads,
		.regions = picture->regions.count,
		.levels = picture->view_levels,
		.members = picture->view_members,
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
