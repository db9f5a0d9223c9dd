/* SPDX-License-Identifier: Apache-2.0
 *
 * A work-sharing loop as libomp 19 leaves it in memory on x86-64, word by word: what kmp_dispatch.cpp writes
 * when a thread begins it and gets its chunks.
 */
#ifndef FAKE_LOOPS_H
#define FAKE_LOOPS_H

#include "fake_libomp.h"

enum { FAKE_STATIC_CHUNKED = 33, FAKE_DYNAMIC = 35, FAKE_STATIC_BALANCED = 41, FAKE_GUIDED = 42 };
enum { FAKE_STATIC_STEAL = 44 };
enum { FAKE_ORDERED = 1, FAKE_NOMERGE = 2, FAKE_USE_HIER = 8, FAKE_USE_HYBRID = 16 };

/* What all threads of the team have in common. */
struct fake_loop {
	unsigned width; /* of its variable: 4 or 8 */
	uint32_t schedule, flags;
	int64_t lb, ub, st, tc, chunk;
	uint64_t iteration, ordered_iteration;
	uint32_t index; /* the team's loops before it */
};

/* The team has room for loops: no thread is in one. Returns the address of the threads' kmp_disp_t. */
uint64_t fake_add_dispatch(struct fake_region *region, struct fake_libomp *omp);

/* A thread begins the loop. */
struct fake_thread_loop {
	uint64_t dispatch, private_info, shared_info;
};
struct fake_thread_loop fake_begin_loop(struct fake_libomp *omp, uint64_t dispatches,
					int thread_num, const struct fake_loop *loop);

/* Sets a word of the thread's part. */
void fake_set_count(struct fake_libomp *omp, struct fake_thread_loop at,
		    const struct fake_loop *loop, uint64_t count);
void fake_set_ub(struct fake_libomp *omp, struct fake_thread_loop at, const struct fake_loop *loop,
		 uint64_t ub);
void fake_set_ordered(struct fake_libomp *omp, struct fake_thread_loop at,
		      const struct fake_loop *loop, uint64_t lower, uint64_t upper);

/* Where members lie, for hostile tests. */
enum {
	FAKE_T_DISPATCH = 416,
	FAKE_T_DISP_BUFFER = 912,
	FAKE_DISP_SIZE = 64,
	FAKE_DISP_SH_CURRENT = 16,
	FAKE_DISP_PR_CURRENT = 24,
	FAKE_DISP_BUFFER = 32,
	FAKE_DISP_INDEX = 40,
	FAKE_PR_SCHEDULE = 128,
	FAKE_PR_FLAGS = 132,
	FAKE_PR_TYPE_SIZE = 152,
	FAKE_SH_BUFFER_INDEX = 64
};

#endif /* FAKE_LOOPS_H */
