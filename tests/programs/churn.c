/* SPDX-License-Identifier: Apache-2.0
 *
 * Never stands still: regions of changing size and nesting, begun and ended all the time, for a debugger that
 * attaches anywhere.
 * Truth: while a thread is inside a region's body, its slot holds what omp_get_*() answers it there. The
 * slots are in memory for the debugger to read.
 */
#include "truth.h"

#define CHURN_SLOTS 64
#define CHURN_LEVELS 4

struct churn_slot {
	int tid; /* 0: never used */
	int inside;
	int thread_num, level, active_level, num_threads;
	int ancestors[CHURN_LEVELS], sizes[CHURN_LEVELS];
};

struct churn_slot churn_slots[CHURN_SLOTS];
static int churn_used;
static __thread struct churn_slot *churn_mine;

static void inside(void)
{
	struct churn_slot *slot = churn_mine;
	int level, i;

	if (!slot) {
		i = __atomic_fetch_add(&churn_used, 1, __ATOMIC_SEQ_CST);
		if (i == CHURN_SLOTS)
			abort();
		slot = churn_mine = &churn_slots[i];
		slot->tid = (int)truth_tid();
	}
	slot->thread_num = omp_get_thread_num();
	slot->level = omp_get_level();
	slot->active_level = omp_get_active_level();
	slot->num_threads = omp_get_num_threads();
	for (level = 0; level <= slot->level; level++) {
		slot->ancestors[level] = omp_get_ancestor_thread_num(level);
		slot->sizes[level] = omp_get_team_size(level);
	}
	__atomic_store_n(&slot->inside, 1, __ATOMIC_SEQ_CST);
	usleep(300);
	__atomic_store_n(&slot->inside, 0, __ATOMIC_SEQ_CST);
}

int main(void)
{
	unsigned turn;

	alarm(TRUTH_LIFE_SECONDS);
	omp_set_max_active_levels(8);
	for (turn = 0;; turn++) {
#pragma omp parallel num_threads(1 + turn % 5)
		{
			inside();
#pragma omp parallel num_threads(1 + (turn + omp_get_thread_num()) % 3)
			{
				inside();
#pragma omp parallel if (0)
				inside();
			}
		}
		if (turn == 100)
			truth_write(); /* tells that it is under way */
	}
}
