/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/answers.h"
#include "runtime/llvm/picture.h"
#include "target/callbacks.h"
#include "target/limits.h"

static const ompdx_native_thread_t *native_at(const ompdx_native_thread_t *natives, size_t index)
{
	return (const void *)((const char *)natives + index * natives->size);
}

static uint32_t match_pthread(const struct picture *picture, const ompdx_native_thread_t *native)
{
	if (native->known & OMPDX_NATIVE_PTHREAD)
		return address_map_get(&picture->thread_of_pthread, native->pthread_id);
	/* The same number where glibc's thread structure begins at the thread pointer; elsewhere it is nobody's pthread
	 * id, and says nothing. */
	if (native->known & OMPDX_NATIVE_THREAD_POINTER)
		return address_map_get(&picture->thread_of_pthread, native->thread_pointer);
	return PICTURE_NONE;
}

/* Which of our threads each of the tool's is. Ids of the kernel stand in a page of each thread's own: those of threads that
 * are known without are not read. */
static ompd_rc_t match_natives(struct picture *picture, const ompdx_native_thread_t *natives,
			       size_t count)
{
	struct address_map thread_of_lwp = {0};
	bool lwps_known = false;
	uint32_t *matched;
	void *items = NULL;
	ompd_rc_t rc =
		count ? vector_add(&picture->natives, count, THREADS_MAX, &items) : ompd_rc_ok;

	matched = items;
	for (size_t i = 0; rc == ompd_rc_ok && i < count; i++) {
		matched[i] = match_pthread(picture, native_at(natives, i));
		if (matched[i] != PICTURE_NONE)
			picture_thread(picture, matched[i])->is_matched = true;
	}
	for (size_t i = 0; rc == ompd_rc_ok && i < count; i++) {
		const ompdx_native_thread_t *native = native_at(natives, i);

		if (matched[i] != PICTURE_NONE || native->known & OMPDX_NATIVE_PTHREAD ||
		    !(native->known & OMPDX_NATIVE_LWP))
			continue;
		if (!lwps_known)
			rc = picture_map_lwps(picture, &thread_of_lwp);
		lwps_known = true;
		matched[i] = address_map_get(&thread_of_lwp, native->lwp);
	}
	address_map_deinit(&thread_of_lwp);
	return rc == ompd_rc_ok ? picture_match_made(picture, natives, count, matched) : rc;
}

/* The tool's threads come first; the others follow by gtid. */
static void place_threads(struct picture *picture)
{
	size_t place = picture->natives.count;

	for (size_t i = 0; i < picture->threads.count; i++)
		picture_thread(picture, i)->place = PICTURE_NONE;
	for (size_t i = 0; i < picture->natives.count; i++) {
		const uint32_t seen = *(uint32_t *)vector_at(&picture->natives, i);

		if (seen != PICTURE_NONE)
			picture_thread(picture, seen)->place = (uint32_t)i;
	}
	for (size_t i = 0; i < picture->threads.count; i++) {
		struct seen_thread *thread = picture_thread(picture, i);

		if (thread->place == PICTURE_NONE)
			thread->place = (uint32_t)place++;
	}
	picture->view_threads = place;
}

/* What no view has room for goes without. */
static void count_levels_and_members(struct picture *picture)
{
	for (size_t i = 0; i < picture->threads.count; i++) {
		struct seen_thread *thread = picture_thread(picture, i);
		const uint32_t depth = thread->region == PICTURE_NONE
					       ? 0
					       : picture_region(picture, thread->region)->depth;

		if (depth > VIEW_LEVELS_MAX - picture->view_levels)
			thread->problem = ompdx_problem_limit;
		else
			picture->view_levels += depth;
	}
	for (size_t i = 0; i < picture->regions.count; i++) {
		struct seen_region *region = picture_region(picture, i);
		const size_t members = region->team_size > 0 ? (size_t)region->team_size : 0;

		region->no_members = members > VIEW_MEMBERS_MAX - picture->view_members;
		if (!region->no_members)
			picture->view_members += members;
	}
}

ompd_rc_t llvm_picture(struct address_space *space, const ompdx_native_thread_t *threads,
		       ompd_size_t thread_count, void **ret)
{
	struct picture *picture;
	void *block = NULL;
	ompd_rc_t rc = callback_alloc(1, sizeof(*picture), &block);

	if (rc != ompd_rc_ok)
		return rc;
	picture = block;
	picture->space = space;
	picture->llvm = space->runtime_state;
	picture->threads.item_size = sizeof(struct seen_thread);
	picture->teams.item_size = sizeof(struct seen_team);
	picture->regions.item_size = sizeof(struct seen_region);
	picture->natives.item_size = sizeof(uint32_t);
	picture->text.item_size = 1;
	rc = picture_read_threads(picture);
	if (rc == ompd_rc_ok)
		rc = match_natives(picture, threads, (size_t)thread_count);
	if (rc != ompd_rc_ok) {
		llvm_picture_free(picture);
		return rc;
	}
	place_threads(picture);
	count_levels_and_members(picture);
	*ret = picture;
	return ompd_rc_ok;
}
