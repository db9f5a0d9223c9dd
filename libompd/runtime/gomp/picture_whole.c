/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/answers.h"
#include "runtime/gomp/picture.h"
#include "runtime/gomp/thread.h"
#include "target/callbacks.h"
#include "target/limits.h"

/* Those that the C library lists. */
static ompd_rc_t add_listed(struct picture *picture)
{
	struct vector pthreads = {.item_size = sizeof(uint64_t)};
	ompd_rc_t rc = gomp_pthreads(picture->space, picture->gomp, &pthreads, &picture->initial);

	picture->incomplete = rc == ompd_rc_incomplete;
	if (rc == ompd_rc_incomplete)
		rc = ompd_rc_ok;
	for (size_t i = 0; rc == ompd_rc_ok && i < pthreads.count; i++) {
		uint32_t ignored;

		rc = gomp_picture_add(picture, *(uint64_t *)vector_at(&pthreads, i), &ignored);
	}
	vector_deinit(&pthreads);
	return rc;
}

static const ompdx_native_thread_t *native_at(const ompdx_native_thread_t *natives, size_t index)
{
	return (const void *)((const char *)natives + index * natives->size);
}

/* Those that the tool knows by more than their kernel's id. */
static ompd_rc_t add_natives(struct picture *picture, const ompdx_native_thread_t *natives,
			     size_t count, uint32_t *matched)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < count; i++) {
		const ompdx_native_thread_t *native = native_at(natives, i);

		matched[i] = PICTURE_NONE;
		if (native->known & OMPDX_NATIVE_PTHREAD)
			rc = gomp_picture_add(picture, native->pthread_id, &matched[i]);
		else if (native->known & OMPDX_NATIVE_THREAD_POINTER)
			rc = gomp_picture_add(picture, native->thread_pointer, &matched[i]);
	}
	return rc;
}

static ompd_rc_t match_lwps(struct picture *picture, const ompdx_native_thread_t *natives,
			    size_t count, uint32_t *matched)
{
	struct address_map thread_of_lwp = {0};
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < picture->threads.count; i++) {
		const uint64_t lwp = picture_thread(picture, i)->native.lwp;

		if (lwp)
			rc = address_map_put(&thread_of_lwp, lwp, (uint32_t)i);
	}
	for (size_t i = 0; rc == ompd_rc_ok && i < count; i++) {
		const ompdx_native_thread_t *native = native_at(natives, i);

		if (matched[i] == PICTURE_NONE && !(native->known & OMPDX_NATIVE_PTHREAD) &&
		    (native->known & OMPDX_NATIVE_LWP))
			matched[i] = address_map_get(&thread_of_lwp, native->lwp);
	}
	address_map_deinit(&thread_of_lwp);
	return rc;
}

/* The tool's threads come first; the others that are the runtime's follow. */
static void place_threads(struct picture *picture)
{
	size_t place = picture->natives.count;

	for (size_t i = 0; i < picture->natives.count; i++) {
		const uint32_t seen = *(uint32_t *)vector_at(&picture->natives, i);

		if (seen != PICTURE_NONE)
			picture_thread(picture, seen)->place = (uint32_t)i;
	}
	for (size_t i = 0; i < picture->threads.count; i++) {
		struct seen_thread *thread = picture_thread(picture, i);
		const bool concerns =
			thread->kind != ompdx_thread_none || thread->problem != ompdx_problem_none;

		if (thread->place == PICTURE_NONE && concerns)
			thread->place = (uint32_t)place++;
	}
	picture->view_threads = place;
}

static ompd_rc_t read_picture(struct picture *picture, const ompdx_native_thread_t *natives,
			      size_t count)
{
	void *items = NULL;
	ompd_rc_t rc = add_listed(picture);

	if (rc == ompd_rc_ok && count)
		rc = vector_add(&picture->natives, count, THREADS_MAX, &items);
	if (rc == ompd_rc_ok)
		rc = add_natives(picture, natives, count, items);
	if (rc == ompd_rc_ok)
		rc = gomp_picture_teams(picture);
	if (rc == ompd_rc_ok)
		rc = match_lwps(picture, natives, count, items);
	if (rc == ompd_rc_ok)
		rc = gomp_picture_regions(picture);
	if (rc == ompd_rc_ok)
		rc = gomp_picture_threads(picture);
	if (rc == ompd_rc_ok)
		place_threads(picture);
	return rc;
}

ompd_rc_t gomp_picture(struct address_space *space, const ompdx_native_thread_t *threads,
		       ompd_size_t thread_count, void **ret)
{
	struct picture *picture;
	void *block = NULL;
	ompd_rc_t rc = callback_alloc(1, sizeof(*picture), &block);

	if (rc != ompd_rc_ok)
		return rc;
	picture = block;
	picture->space = space;
	picture->gomp = space->runtime_state;
	picture->threads.item_size = sizeof(struct seen_thread);
	picture->teams.item_size = sizeof(struct seen_team);
	picture->regions.item_size = sizeof(struct seen_region);
	picture->pools.item_size = sizeof(struct seen_pool);
	picture->natives.item_size = sizeof(uint32_t);
	rc = read_picture(picture, threads, (size_t)thread_count);
	if (rc == ompd_rc_ok)
		*ret = picture;
	else
		gomp_picture_free(picture);
	return rc;
}
