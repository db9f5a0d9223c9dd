/* SPDX-License-Identifier: Apache-2.0
 *
 * What is still to be handed out of loops that libgomp schedules (loop.c, loop_ull.c, iter.c, ordered.c).
 *
 * A thread that comes to a worksharing construct takes the next gomp_work_share of its team, and remembers the one
 * before in last_work_share until it leaves. The first of a team is there from the beginning: of a region that is
 * combined with its loop it is this loop, of others it is nothing, or what an earlier region left in it; nor
 * does it show who has left. All kinds of constructs have such a structure, and none says of which kind it is. So
 * whether a thread is in a loop its code has to tell. Of a static schedule `next' stays at the beginning of the loop, and each
 * thread counts its chunks; of the others it moves on, and where the loop began is not kept.
 */
#include "runtime/common/blocks.h"
#include "runtime/gomp/answers.h"
#include "runtime/gomp/nesting.h"
#include "runtime/gomp/picture.h"
#include "target/limits.h"

#define OF(loops, type, member) ((loops)->picture->gomp->record->members[MEMBER_##type##__##member])

struct share {
	target_addr address;
	struct gomp_work_share data;
	ompdx_problem_t problem;
	int32_t ordered_holder;
};

struct loops {
	const struct picture *picture;
	struct vector seen;   /* ompdx_loop_t */
	struct vector shares; /* struct share, each read once */
	struct address_map share_of_address;
};

/* ---- What the words mean ---- */

static uint64_t magnitude(int64_t number)
{
	return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

static ompdx_schedule_t schedule_kind(uint32_t sched)
{
	switch (sched & ~GFS_MONOTONIC) {
	case GFS_STATIC:
		return ompdx_schedule_static;
	case GFS_DYNAMIC:
		return ompdx_schedule_dynamic;
	case GFS_GUIDED:
		return ompdx_schedule_guided;
	default:
		return ompdx_schedule_unknown;
	}
}

/* The size of chunks, 0: a static schedule has none. false: it can be none. */
static bool chunk_of(const struct gomp_work_share *share, ompdx_schedule_t schedule, uint64_t *ret)
{
	const uint64_t step = magnitude(share->incr), chunk = magnitude(share->chunk_size);

	*ret = chunk;
	if (chunk > INT64_MAX || step == 0)
		return false;
	if (schedule != ompdx_schedule_dynamic)
		return share->chunk_size >= (schedule == ompdx_schedule_static ? 0 : 1);
	*ret = chunk / step;
	return chunk && chunk % step == 0 && (share->chunk_size < 0) == (share->incr < 0);
}

/* How many iterations lie between next and end. With a dynamic schedule each thread that comes too late moves next
 * on by a chunk. false: these are no words of a loop. */
static bool iterations_ahead(const struct gomp_work_share *share, ompdx_schedule_t schedule,
			     uint32_t nthreads, uint64_t *ret)
{
	const uint64_t step = magnitude(share->incr);
	const uint64_t next = (uint64_t)share->next, end = (uint64_t)share->end;
	const uint64_t ahead = share->incr < 0 ? next - end : end - next;
	const uint64_t beyond = 0 - ahead;

	*ret = 0;
	if (ahead == 0)
		return true;
	if (ahead <= INT64_MAX) {
		*ret = (ahead - 1) / step + 1;
		return true;
	}
	return schedule == ompdx_schedule_dynamic &&
	       beyond / magnitude(share->chunk_size) <= nthreads;
}

/* Numbers of iterations, of which the last may be beyond the loop's end. */
static void set_chunk(ompdx_loop_t *ret, uint64_t first, uint64_t count)
{
	const uint64_t all = (uint64_t)ret->iterations;

	if (count == 0 || first >= all)
		return;
	ret->first = (int64_t)first;
	ret->last = (int64_t)(count > all - first ? all - 1 : first + count - 1);
}

static void set_static_part(int64_t trip, uint64_t chunk, uint64_t threads, ompdx_loop_t *ret)
{
	const uint64_t all = (uint64_t)ret->iterations, number = (uint64_t)ret->thread_num;
	const uint64_t each = all / threads, rest = all % threads;
	uint64_t chunks;

	if (trip == 0 || all == 0)
		return;
	if (threads == 1) {
		set_chunk(ret, 0, all);
		return;
	}
	if (chunk == 0) {
		set_chunk(ret, number * each + (number < rest ? number : rest),
			  each + (number < rest));
		return;
	}
	chunks = (all - 1) / chunk + 1;
	if (trip < 0 && (chunks - 1) % threads == number)
		set_chunk(ret, (chunks - 1) * chunk, chunk);
	else if (trip > 0 && (uint64_t)trip <= chunks / threads + 1 &&
		 (uint64_t)(trip - 1) * threads + number < chunks)
		set_chunk(ret, ((uint64_t)(trip - 1) * threads + number) * chunk, chunk);
	else
		ret->problem = ompdx_problem_inconsistent;
}

static void interpret(const struct share *share, const struct gomp_team *team, int64_t trip,
		      ompdx_loop_t *ret)
{
	const uint32_t nthreads = (uint32_t)team->nthreads;
	const ompdx_schedule_t schedule = schedule_kind(share->data.sched);
	uint64_t chunk, ahead;

	ret->problem = share->problem;
	if (ret->problem != ompdx_problem_none)
		return;
	if (schedule == ompdx_schedule_unknown || !chunk_of(&share->data, schedule, &chunk) ||
	    !iterations_ahead(&share->data, schedule, nthreads, &ahead) ||
	    share->data.threads_completed > nthreads) {
		ret->problem = ompdx_problem_inconsistent;
		return;
	}
	ret->schedule = schedule;
	ret->chunk = chunk ? (int64_t)chunk : -1;
	ret->completed = (int32_t)share->data.threads_completed;
	ret->ordered_holder = share->ordered_holder;
	if (schedule != ompdx_schedule_static) {
		ret->remaining = (int64_t)ahead;
		return;
	}
	ret->iterations = (int64_t)ahead;
	set_static_part(trip, chunk, nthreads, ret);
}

/* ---- Reading them ---- */

/* Whose turn it is. Of a loop without the ordered clause the words are what they happened to be. */
static ompd_rc_t read_turn(struct loops *loops, uint32_t nthreads, struct share *share)
{
	const struct gomp_work_share *data = &share->data;
	const bool queued = schedule_kind(data->sched) != ompdx_schedule_static;
	uint64_t holder = 0;
	ompd_rc_t rc;

	if (data->ordered_cur >= nthreads || data->ordered_num_used > nthreads ||
	    (queued && data->ordered_num_used == 0))
		return ompd_rc_ok;
	rc = target_read_unsigned(&loops->picture->space->target,
				  data->ordered_team_ids + (target_addr)data->ordered_cur * 4, 4,
				  &holder);
	if (rc == ompd_rc_ok && holder < nthreads)
		share->ordered_holder = (int32_t)holder;
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

static ompd_rc_t read_share(struct loops *loops, target_addr address, uint32_t nthreads,
			    uint32_t *ret)
{
	struct share *share;
	void *item;
	ompd_rc_t rc;

	*ret = address_map_get(&loops->share_of_address, address);
	if (*ret != ADDRESS_MAP_NONE)
		return ompd_rc_ok;
	rc = vector_add(&loops->shares, 1, VIEW_MEMBERS_MAX, &item);
	if (rc != ompd_rc_ok)
		return rc;
	share = item;
	share->address = address;
	share->ordered_holder = -1;
	rc = gomp_work_share_read(&loops->picture->space->target, loops->picture->gomp->record,
				  address, &share->data);
	if (rc == ompd_rc_ok)
		rc = read_turn(loops, nthreads, share);
	else if (rc == ompd_rc_error)
		share->problem = ompdx_problem_unreadable;
	if (rc != ompd_rc_ok && rc != ompd_rc_error)
		return rc;
	*ret = (uint32_t)loops->shares.count - 1;
	return address_map_put(&loops->share_of_address, address, *ret);
}

static ompd_rc_t add_thread(struct loops *loops, const struct seen_team *team, uint32_t thread,
			    const struct gomp_team_state *ts)
{
	const target_addr first = team->team.address + OF(loops, gomp_team, work_shares).offset;
	ompdx_loop_t *added;
	uint32_t share;
	void *item;
	ompd_rc_t rc;

	if (ts->work_share == 0 || (ts->last_work_share == 0 && ts->work_share != first))
		return ompd_rc_ok;
	rc = read_share(loops, ts->work_share, (uint32_t)team->team.nthreads, &share);
	if (rc == ompd_rc_ok)
		rc = vector_add(&loops->seen, 1, VIEW_MEMBERS_MAX, &item);
	if (rc != ompd_rc_ok)
		return rc;
	added = item;
	added->size = sizeof(*added);
	added->team = team->team.address;
	added->thread = picture_thread(loops->picture, thread)->place;
	added->thread_num = ts->team_id;
	added->loop = share;
	added->evidence = ts->last_work_share ? ompdx_loop_or_other : ompdx_loop_or_none;
	added->ordered = added->ordered_holder = added->completed = -1;
	added->iterations = added->chunk = added->handed_out = added->remaining = -1;
	added->first = added->last = added->left = added->ordered_turn = -1;
	interpret(vector_at(&loops->shares, share), &team->team, ts->static_trip, added);
	return ompd_rc_ok;
}

static ompd_rc_t add_team(struct loops *loops, const struct seen_team *team)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (int32_t i = 0; rc == ompd_rc_ok && i < team->team.nthreads; i++) {
		const uint32_t thread = gomp_picture_member(loops->picture, team, i);
		struct gomp_team_state ts;

		if (gomp_picture_state(loops->picture, team, thread, &ts))
			rc = add_thread(loops, team, thread, &ts);
	}
	return rc;
}

ompd_rc_t gomp_loops(void *from, void **ret)
{
	const struct picture *picture = from;
	struct loops loops = {
		.picture = picture,
		.seen.item_size = sizeof(ompdx_loop_t),
		.shares.item_size = sizeof(struct share),
	};
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < picture->teams.count; i++)
		rc = add_team(&loops, picture_team(picture, i));
	if (rc == ompd_rc_ok)
		rc = loops_block_create(&loops.seen, picture->problem, ret);
	vector_deinit(&loops.seen);
	vector_deinit(&loops.shares);
	address_map_deinit(&loops.share_of_address);
	return rc;
}
