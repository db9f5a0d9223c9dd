/* SPDX-License-Identifier: Apache-2.0
 *
 * Four threads: one executes a task, one a task inside a task, one a final task, one a region of two that
 * a task began.
 * Truth: everything at the innermost place, with the kind of task and whether it is final.
 */
#include "truth.h"

static int begun;

/* Each thread of the team executes one task: a task scheduling point is left only when four are begun. */
static void one_each(int which)
{
	__atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < 4)
		usleep(1000);
	switch (which) {
	case 0:
		truth_record_as(0, 0, "explicit");
		truth_stop(5);
		break;
	case 1:
#pragma omp task if (0)
	{
		truth_record_as(0, 0, "explicit");
		truth_stop(5);
	} break;
	case 2:
#pragma omp task final(1) if (0)
	{
		truth_record_as(0, 0, "explicit");
		truth_stop(5);
	} break;
	default:
		TRUTH_CONSTRUCT(2);
#pragma omp parallel num_threads(2)
		{
			truth_record_as(0, 0, "implicit");
			truth_stop(5);
		}
	}
}

int main(void)
{
	omp_set_max_active_levels(8);
	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(4)
	{
#pragma omp single
		for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(i)
			one_each(i);
		}
	}
	return 0;
}
