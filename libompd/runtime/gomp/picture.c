/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/picture.h"

#include "runtime/gomp/nesting.h"

#include "runtime/gomp/answers.h"
#include "runtime/gomp/thread.h"
#include "target/callbacks.h"
#include "target/limits.h"

static ompd_rc_t add_thread(struct picture *picture, const struct gomp_native *native,
			    ompdx_problem_t problem, uint32_t *index)
{
	struct seen_thread *seen;
	void *item;
	ompd_rc_t rc = vector_add(&picture->threads, 1, THREADS_MAX, &item);

	if (rc != ompd_rc_ok)
		return rc;
	seen = item;
	seen->native = *native;
	seen->region = PICTURE_NONE;
	seen->outer = PICTURE_NONE;
	seen->place = PICTURE_NONE;
	seen->problem = problem;
	*index = (uint32_t)picture->threads.count - 1;
	rc = address_map_put(&picture->thread_of_pthread, native->pthread, *index);
	if (rc == ompd_rc_ok)
		rc = address_map_put(&picture->thread_of_address, native->thread.address, *index);
	return rc;
}

ompd_rc_t gomp_picture_add(struct picture *picture, uint64_t pthread, uint32_t *index)
{
	struct gomp_native native = {.pthread = pthread};
	ompd_rc_t rc;

	*index = address_map_get(&picture->thread_of_pthread, pthread);
	if (*index != ADDRESS_MAP_NONE)
		return ompd_rc_ok;
	*index = PICTURE_NONE;
	if (picture->threads.count == THREADS_MAX) {
		picture->incomplete = true;
		return ompd_rc_ok;
	}
	rc = gomp_native_read(picture->space, picture->gomp, pthread, &native);
	if (rc == ompd_rc_ok)
		return add_thread(picture, &native, ompdx_problem_none, index);
	if (rc == ompd_rc_error) {
		native.thread.address = pthread + picture->gomp->tls_offset;
		return add_thread(picture, &native, ompdx_problem_unreadable, index);
	}
	return rc == ompd_rc_unavailable ? ompd_rc_ok : rc;
}

bool gomp_picture_state(const struct picture *picture, const struct seen_team *seen,
			uint32_t thread, struct gomp_team_state *ret)
{
	if (thread == PICTURE_NONE)
		return false;
	*ret = picture_thread(picture, thread)->native.thread.ts;
	for (unsigned depth = 0; depth < TEAM_DEPTH_MAX && gomp_in_region(ret); depth++) {
		uint32_t index;

		if (ret->team == seen->team.address)
			return true;
		index = address_map_get(&picture->team_of_address, ret->team);
		if (index == ADDRESS_MAP_NONE)
			return false;
		*ret = picture_team(picture, index)->team.prev_ts;
	}
	return false;
}

void gomp_picture_free(void *block)
{
	struct picture *picture = block;

	for (size_t i = 0; i < picture->teams.count; i++)
		callback_free(picture_team(picture, i)->releases);
	vector_deinit(&picture->threads);
	vector_deinit(&picture->teams);
	vector_deinit(&picture->regions);
	vector_deinit(&picture->pools);
	vector_deinit(&picture->natives);
	address_map_deinit(&picture->thread_of_address);
	address_map_deinit(&picture->thread_of_pthread);
	address_map_deinit(&picture->team_of_address);
	address_map_deinit(&picture->pool_of_address);
	callback_free(picture);
}
