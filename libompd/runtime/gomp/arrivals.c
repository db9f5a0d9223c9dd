/* SPDX-License-Identifier: Apache-2.0
 *
 * How many have come to the barriers of the teams. libgomp's barrier counts those who are still awaited, at a region's
 * end apart from the others, and keeps no trace of who has come: no single thread is told of.
 */
#include "runtime/common/blocks.h"
#include "runtime/gomp/answers.h"
#include "runtime/gomp/picture.h"
#include "target/limits.h"

/* A flag of a barrier's generation. */
enum { BAR_WAITING_FOR_TASK = 2 };

/* How many barriers the team has been through. */
static uint64_t rounds(const struct picture *picture, const struct gomp_barrier *barrier)
{
	return barrier->generation / picture->gomp->record->barrier_round;
}

static int32_t arrived(uint32_t total, uint32_t awaited)
{
	return awaited <= total ? (int32_t)(total - awaited) : -1;
}

/* The threads of a pool leave its dock together. 0: not known. */
static uint64_t regions_begun(const struct picture *picture, const struct seen_team *seen)
{
	const struct seen_thread *primary =
		seen->primary == PICTURE_NONE ? NULL : picture_thread(picture, seen->primary);
	const struct seen_pool *pool =
		primary ? gomp_picture_pool(picture, primary->native.thread.thread_pool) : NULL;

	return pool ? rounds(picture, &pool->pool.threads_dock) : 0;
}

ompd_rc_t gomp_arrivals(void *from, void **ret)
{
	const struct picture *picture = from;
	/* Until GCC 4.8 one count serves both. */
	const bool counts_ends =
		picture->gomp->record->members[MEMBER_gomp_barrier_t__awaited_final].size != 0;
	const struct vector nobody = {.item_size = sizeof(ompdx_arrival_t)};
	struct vector teams = {.item_size = sizeof(ompdx_team_arrivals_t)};
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < picture->teams.count; i++) {
		const struct seen_team *seen = picture_team(picture, i);
		const struct gomp_team *team = &seen->team;
		const struct gomp_barrier *barrier = &team->barrier;
		ompdx_team_arrivals_t *one;
		void *item;

		rc = vector_add(&teams, 1, VIEW_REGIONS_MAX, &item);
		if (rc != ompd_rc_ok)
			break;
		one = item;
		one->size = sizeof(*one);
		one->team = team->address;
		one->awaits = team->nthreads;
		one->arrived = counts_ends ? arrived(barrier->total, barrier->awaited) : -1;
		one->arrived_at_end =
			counts_ends ? arrived(barrier->total, barrier->awaited_final) : -1;
		one->waits_for_tasks = (barrier->generation & BAR_WAITING_FOR_TASK) != 0;
		one->steps = rounds(picture, barrier);
		one->regions = regions_begun(picture, seen);
	}
	if (rc == ompd_rc_ok)
		rc = arrivals_block_create(&nobody, &teams, picture->problem, ret);
	vector_deinit(&teams);
	return rc;
}
