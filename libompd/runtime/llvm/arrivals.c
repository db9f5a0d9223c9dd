/* SPDX-License-Identifier: Apache-2.0
 *
 * Who has come to which barrier, as the barriers' own words tell.
 *
 * A thread that comes to a barrier raises its b_arrived by a step over its team's; when all have come the
 * team's is raised too, and the threads are let go one after the other by their b_go, which each clears when
 * it goes on (kmp_barrier.cpp). A thread that others report to raises its own only after theirs, and thread 0
 * never: of these nothing is told.
 */
#include <string.h>

#include "runtime/llvm/barrier_structures.h"
#include "runtime/llvm/llvm.h"
#include "runtime/llvm/thread_array.h"
#include "target/address_map.h"
#include "target/callbacks.h"
#include "target/limits.h"
#include "target/vector.h"

struct arrivals {
	struct address_space *space;
	const struct llvm *llvm;
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
			rc = team_barriers_read(&arrivals->space->target,
						&arrivals->llvm->barrier_structures, address,
						place);
		if (rc == ompd_rc_ok)
			rc = address_map_put(&arrivals->index_of_team, address, index);
	}
	if (rc == ompd_rc_ok)
		*ret = vector_at(&arrivals->teams, index);
	return rc;
}

static ompd_rc_t add_thread(struct arrivals *arrivals, int32_t gtid, target_addr address)
{
	const struct target *target = &arrivals->space->target;
	const struct team_barriers *team = NULL;
	struct thread_barriers thread;
	ompdx_arrival_t *arrival;
	struct info info;
	void *place;
	ompd_rc_t rc = info_read(target, &arrivals->llvm->structures, address, &info);

	if (rc == ompd_rc_ok && info.th_team == 0)
		return ompd_rc_ok;
	if (rc == ompd_rc_ok)
		rc = thread_barriers_read(target, &arrivals->llvm->barrier_structures, address,
					  &thread);
	if (rc == ompd_rc_ok)
		rc = team_of(arrivals, info.th_team, &team);
	if (rc != ompd_rc_ok)
		return rc;
	rc = vector_add(&arrivals->seen, 1, THREADS_MAX, &place);
	if (rc != ompd_rc_ok)
		return rc;
	arrival = place;
	arrival->size = sizeof(*arrival);
	arrival->thread = gtid;
	for (unsigned i = 0; i < BARRIER_COUNT; i++) {
		if (barrier_step(thread.b_arrived[i]) == barrier_step(team->b_arrived[i]) + 1)
			arrival->arrived |= 1u << i;
		if (barrier_step(thread.b_go[i]))
			arrival->released |= 1u << i;
	}
	return ompd_rc_ok;
}

static ompd_rc_t write_arrivals(const struct arrivals *arrivals, ompdx_arrivals_t **ret)
{
	ompdx_arrivals_t *answer;
	void *block = NULL;
	const ompd_rc_t rc = callback_alloc(
		1, sizeof(*answer) + arrivals->seen.count * sizeof(ompdx_arrival_t), &block);

	if (rc != ompd_rc_ok)
		return rc;
	answer = block;
	answer->size = sizeof(*answer);
	answer->count = (uint32_t)arrivals->seen.count;
	answer->problem = arrivals->problem;
	answer->arrivals = (void *)(answer + 1);
	if (arrivals->seen.count)
		memcpy(answer + 1, arrivals->seen.items,
		       arrivals->seen.count * sizeof(ompdx_arrival_t));
	*ret = answer;
	return ompd_rc_ok;
}

ompd_rc_t llvm_arrivals(struct address_space *space, ompdx_arrivals_t **ret)
{
	struct arrivals arrivals;
	struct thread_array threads;
	struct llvm *llvm;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc == ompd_rc_ok && !llvm->knows_barriers)
		rc = ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		rc = thread_array_read(space, llvm, &threads);
	if (rc != ompd_rc_ok)
		return rc;
	memset(&arrivals, 0, sizeof(arrivals));
	arrivals.space = space;
	arrivals.llvm = llvm;
	arrivals.seen.item_size = sizeof(ompdx_arrival_t);
	arrivals.teams.item_size = sizeof(struct team_barriers);
	for (uint32_t gtid = 0; gtid < threads.count && rc == ompd_rc_ok; gtid++) {
		if (threads.infos[gtid] == 0)
			continue;
		rc = add_thread(&arrivals, (int32_t)gtid, threads.infos[gtid]);
		if (rc == ompd_rc_error) {
			arrivals.problem = ompdx_problem_unreadable;
			rc = ompd_rc_ok;
		}
	}
	if (rc == ompd_rc_ok)
		rc = write_arrivals(&arrivals, ret);
	thread_array_deinit(&threads);
	vector_deinit(&arrivals.seen);
	vector_deinit(&arrivals.teams);
	address_map_deinit(&arrivals.index_of_team);
	return rc;
}
