/* SPDX-License-Identifier: Apache-2.0
 *
 * The picture of a libomp as the one block that the tool gets.
 */
#include <string.h>

#include "runtime/llvm/picture.h"
#include "target/callbacks.h"
#include "target/limits.h"

/* The block's parts, in this order: the header, then the arrays, the text last. */
struct parts {
	size_t threads, regions, levels, members, text;
	size_t thread_count, level_count, member_count;
};

static const struct seen_region *parent_of(const struct picture *picture,
					   const struct seen_region *region)
{
	return region->parent == PICTURE_NONE ? NULL : picture_region(picture, region->parent);
}

static size_t chain_length(const struct picture *picture, uint32_t region)
{
	size_t length = 0;

	/* Parents stand before their children, so this ends. */
	for (; region != PICTURE_NONE; region = picture_region(picture, region)->parent)
		length++;
	return length;
}

/* Where a thread stands in the tool's list; PICTURE_NONE: nowhere. */
static ompd_rc_t match_natives(struct picture *picture, const ompdx_native_thread_t *natives,
			       size_t count, uint32_t *seen_of_native)
{
	struct address_map thread_of_lwp = {0};
	bool lwps_known = false;
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < count; i++) {
		const ompdx_native_thread_t *native =
			(const void *)((const char *)natives + i * natives->size);

		seen_of_native[i] = PICTURE_NONE;
		if (native->known & OMPDX_NATIVE_PTHREAD) {
			seen_of_native[i] =
				address_map_get(&picture->thread_of_pthread, native->pthread_id);
		} else if (native->known & OMPDX_NATIVE_THREAD_POINTER) {
			/* The same number where glibc's thread structure begins at the thread
			 * pointer; elsewhere it is nobody's pthread id. */
			seen_of_native[i] = address_map_get(&picture->thread_of_pthread,
							    native->thread_pointer);
		} else if (native->known & OMPDX_NATIVE_LWP) {
			if (!lwps_known)
				rc = picture_map_lwps(picture, &thread_of_lwp);
			lwps_known = true;
			seen_of_native[i] = address_map_get(&thread_of_lwp, native->lwp);
		}
	}
	address_map_deinit(&thread_of_lwp);
	return rc;
}

static uint32_t listed_members(const struct seen_region *region)
{
	return region->team_size > 0 ? (uint32_t)region->team_size : 0;
}

/* The tool's threads come first; the others follow by gtid. */
static void place_threads(struct picture *picture, const uint32_t *seen_of_native,
			  size_t native_count, struct parts *parts)
{
	size_t place = native_count;

	for (size_t i = 0; i < picture->threads.count; i++)
		picture_thread(picture, i)->place = PICTURE_NONE;
	for (size_t i = 0; i < native_count; i++) {
		if (seen_of_native[i] != PICTURE_NONE)
			picture_thread(picture, seen_of_native[i])->place = (uint32_t)i;
	}
	for (size_t i = 0; i < picture->threads.count; i++) {
		struct seen_thread *thread = picture_thread(picture, i);

		if (thread->place == PICTURE_NONE)
			thread->place = (uint32_t)place++;
		/* Past the limit there is no view, and a hundred thousand long chains take their time. */
		if (parts->level_count <= VIEW_LEVELS_MAX)
			parts->level_count += chain_length(picture, thread->region);
	}
	parts->thread_count = place;
	for (size_t i = 0; i < picture->regions.count; i++)
		parts->member_count += listed_members(picture_region(picture, i));
}

static size_t lay_out(const struct picture *picture, struct parts *parts)
{
	parts->threads = sizeof(ompdx_view_t);
	parts->regions = parts->threads + parts->thread_count * sizeof(ompdx_view_thread_t);
	parts->levels = parts->regions + picture->regions.count * sizeof(ompdx_view_region_t);
	parts->members = parts->levels + parts->level_count * sizeof(ompdx_view_level_t);
	parts->text = parts->members + parts->member_count * sizeof(uint32_t);
	return parts->text + picture->text.count;
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

static void write_threads(const struct picture *picture, size_t native_count,
			  const struct parts *parts, char *block)
{
	ompdx_view_thread_t *threads = (void *)(block + parts->threads);
	ompdx_view_level_t *levels = (void *)(block + parts->levels);
	uint32_t level_first = 0;
	bool lost = false;

	for (size_t i = 0; i < parts->thread_count; i++) {
		threads[i].size = sizeof(threads[i]);
		threads[i].native = i < native_count ? (uint32_t)i : UINT32_MAX;
		threads[i].runtime_id = -1;
		threads[i].task_final = -1;
		threads[i].tracked_state = -1;
		threads[i].ident_flags = -1;
	}
	for (size_t i = 0; i < picture->threads.count; i++) {
		const struct seen_thread *thread = picture_thread(picture, i);

		write_thread(picture, thread, level_first, levels, &threads[thread->place]);
		level_first += threads[thread->place].level_count;
		/* Its native thread may have ended meanwhile; or it is one of the tool's, and what the
		 * runtime recorded of it is damaged. */
		threads[thread->place].ident_flags = thread->ident_flags;
		if (thread->ident_source)
			threads[thread->place].ident_source =
				block + parts->text + thread->ident_source - 1;
		lost = lost || thread->place >= native_count;
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

	for (int32_t i = 0; i < region->team_size; i++) {
		uint32_t index = ADDRESS_MAP_NONE;

		if (team->threads && region->first_thread + i < team->team.t_nproc)
			index = address_map_get(&picture->thread_of_address,
						team->threads[region->first_thread + i]);
		members[i] = index == ADDRESS_MAP_NONE ? UINT32_MAX
						       : picture_thread(picture, index)->place;
	}
}

static void write_regions(const struct picture *picture, const struct parts *parts, char *block)
{
	ompdx_view_region_t *regions = (void *)(block + parts->regions);
	uint32_t *members = (void *)(block + parts->members);
	uint32_t member_first = 0;

	for (size_t i = 0; i < picture->regions.count; i++) {
		const struct seen_region *region = picture_region(picture, i);
		const struct seen_team *team = picture_team(picture, region->team);
		const bool teams = region->generator == ompd_generator_teams;
		ompdx_view_region_t *ret = &regions[i];

		ret->size = sizeof(*ret);
		ret->address = team->team.address;
		ret->serial_depth = teams ? 0 : region->number;
		ret->parent = region->parent;
		ret->generator = region->generator;
		ret->serialized = region->serialized;
		ret->level = region->level;
		ret->active_level = team->team.t_active_level;
		ret->team_size = region->team_size;
		ret->league_size = -1;
		ret->team_num = -1;
		if (teams) {
			ret->league_size = team->nesting.merged_league ? 1 : team->team.t_nproc;
			ret->team_num = (int32_t)region->number;
		}
		ret->problem = team->problem;
		/* Where a team stands is known through those that enclose it. */
		if (ret->problem == ompdx_problem_none && region->parent != PICTURE_NONE)
			ret->problem = regions[region->parent].problem;
		ret->function = region->function;
		ret->helpers = region->helpers;
		if (region->source)
			ret->source = block + parts->text + region->source - 1;
		ret->member_first = member_first;
		ret->member_count = listed_members(region);
		write_members(picture, region, members + member_first);
		member_first += ret->member_count;
	}
}

static ompd_rc_t write_view(struct picture *picture, const ompdx_native_thread_t *natives,
			    size_t native_count, uint32_t *seen_of_native, ompdx_view_t **ret)
{
	struct parts parts = {0};
	ompdx_view_t *view;
	void *block = NULL;
	ompd_rc_t rc = match_natives(picture, natives, native_count, seen_of_native);

	if (rc != ompd_rc_ok)
		return rc;
	place_threads(picture, seen_of_native, native_count, &parts);
	if (parts.level_count > VIEW_LEVELS_MAX || parts.member_count > VIEW_MEMBERS_MAX)
		return ompd_rc_nomem;
	rc = callback_alloc(1, lay_out(picture, &parts), &block);
	if (rc != ompd_rc_ok)
		return rc;
	view = block;
	view->size = sizeof(*view);
	view->thread_count = (uint32_t)parts.thread_count;
	view->region_count = (uint32_t)picture->regions.count;
	view->level_count = (uint32_t)parts.level_count;
	view->member_count = (uint32_t)parts.member_count;
	view->threads = (void *)((char *)block + parts.threads);
	view->regions = (void *)((char *)block + parts.regions);
	view->levels = (void *)((char *)block + parts.levels);
	view->members = (void *)((char *)block + parts.members);
	write_threads(picture, native_count, &parts, block);
	write_regions(picture, &parts, block);
	if (picture->text.count)
		memcpy((char *)block + parts.text, picture->text.items, picture->text.count);
	*ret = view;
	return ompd_rc_ok;
}

ompd_rc_t llvm_view(struct address_space *space, const ompdx_native_thread_t *threads,
		    ompd_size_t thread_count, ompdx_view_t **view)
{
	struct picture picture;
	struct llvm *llvm;
	void *seen_of_native = NULL;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc != ompd_rc_ok)
		return rc;
	rc = callback_alloc(thread_count + 1, sizeof(uint32_t), &seen_of_native);
	if (rc != ompd_rc_ok)
		return rc;
	rc = picture_read(&picture, space, llvm);
	if (rc == ompd_rc_ok)
		rc = write_view(&picture, threads, (size_t)thread_count, seen_of_native, view);
	picture_deinit(&picture);
	callback_free(seen_of_native);
	return rc;
}
