/* SPDX-License-Identifier: Apache-2.0
 *
 * Who has come to which barrier, as the barriers' own words tell.
 *
 * A thread that comes to a barrier raises its b_arrived by a step over its team's; when all have come the
 * team's is raised too, and the threads are let go one after the other by their b_go, which each clears when
 * it goes on (kmp_barrier.cpp). A thread that others report to raises its own only after theirs, and thread 0
 * never: of these nothing is told.
 */
#include "runtime/common/blocks.h"
#include "runtime/llvm/answers.h"
#include "runtime/llvm/barrier_structures.h"
#include "runtime/llvm/picture.h"
#include "target/limits.h"

struct arrivals {
	const struct picture *picture;
	struct vector seen;  /* ompdx_arrival_t */
	struct vector teams; /* struct team_barriers */
	struct address_map index_of_team;
	ompdx_problem_t problem;
};

static ompd_rc_t team_of(struct arrivals *arrivals, target_addr address,
			 const struct team_barriers **ret)
{
	uint32_t index = address_map_get(&arrivals->index_of_team, address);
	void *place;
	ompd_rc_t rc = ompd_rc_ok;

	if (index == ADDRESS_MAP_NONE) {
		index = (uint32_t)arrivals->teams.count;
		rc = vector_add(&arrivals->teams, 1, THREADS_MAX, &place);
		if (rc == ompd_rc_ok)
			rc = team_barriers_read(&arrivals->picture->space->target,
						&arrivals->picture->llvm->barrier_structures,
						address, place);
		if (rc == ompd_rc_ok)
			rc = address_map_put(&arrivals->index_of_team, address, index);
	}
	if (rc == ompd_rc_ok)
		*ret = vector_at(&arrivals->teams, index);
	return rc;
}

/* Whoever sleeps on its own b_go has raised its b_arrived before. That the team's is no lower says that all
 * have. */
static bool is_complete(unsigned kind, const struct thread_barriers *thread,
			const struct team_barriers *team)
{
	return 1u << kind != OMPDX_BARRIER_REGION && (thread->b_go[kind] & BARRIER_SLEEPS) &&
	       barrier_step(thread->b_arrived[kind]) == barrier_step(team->b_arrived[kind]);
}

static ompd_rc_t add_thread(struct arrivals *arrivals, const struct seen_thread *seen)
{
	const struct picture *picture = arrivals->picture;
	const struct team_barriers *team = NULL;
	struct thread_barriers thread;
	ompdx_arrival_t *arrival;
	void *place;
	ompd_rc_t rc =
		thread_barriers_read(&picture->space->target, &picture->llvm->barrier_structures,
				     seen->info.address, &thread);

	if (rc == ompd_rc_ok)
		rc = team_of(arrivals, seen->info.th_team, &team);
	if (rc != ompd_rc_ok)
		return rc;
	rc = vector_add(&arrivals->seen, 1, THREADS_MAX, &place);
	if (rc != ompd_rc_ok)
		return rc;
	arrival = place;
	arrival->size = sizeof(*arrival);
	arrival->thread = seen->place;
	for (unsigned i = 0; i < BARRIER_COUNT; i++) {
		arrival->steps[i] = barrier_step(thread.b_arrived[i]);
		arrival->team_steps[i] = barrier_step(team->b_arrived[i]);
		if (barrier_step(thread.b_arrived[i]) == barrier_step(team->b_arrived[i]) + 1)
			arrival->arrived |= 1u << i;
		if (barrier_step(thread.b_go[i]))
			arrival->released |= 1u << i;
		else if (is_complete(i, &thread, team))
			arrival->complete |= 1u << i;
	}
	return ompd_rc_ok;
}

ompd_rc_t llvm_arrivals(void *from, void **ret)
{
	const struct picture *picture = from;
	struct arrivals arrivals = {.picture = picture,
				    .seen = {.item_size = sizeof(ompdx_arrival_t)},
				    .teams = {.item_size = sizeof(struct team_barriers)}};
	ompd_rc_t rc = ompd_rc_ok;

	if (!picture->llvm->knows_barriers)
		return ompd_rc_unavailable;
	for (size_t i = 0; i < picture->threads.count && rc == ompd_rc_ok; i++) {
		const struct seen_thread *thread = picture_thread(picture, i);

		/* Of one whose structure is unreadable no team is known either. */
		if (thread->info.th_team)
			rc = add_thread(&arrivals, thread);
		else if (thread->problem == ompdx_problem_unreadable)
			rc = ompd_rc_error;
		if (rc == ompd_rc_error) {
			arrivals.problem = ompdx_problem_unreadable;
			rc = ompd_rc_ok;
		}
	}
	if (rc == ompd_rc_ok)
		rc = arrivals_block_create(&arrivals.seen, NULL, arrivals.problem, ret);
	vector_deinit(&arrivals.seen);
	vector_deinit(&arrivals.teams);
	address_map_deinit(&arrivals.index_of_team);
	return rc;
}
