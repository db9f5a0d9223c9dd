/* SPDX-License-Identifier: Apache-2.0
 *
 * Three threads, each with ICVs of its own: one in the region, one in a region of two that it began, one
 * in a final task that changes them once more.
 * Truth: everything at the innermost place; the values of the ICVs differ from thread to thread.
 */
#include "truth.h"

static void set_all(int number)
{
	static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
					    omp_sched_auto};

	omp_set_num_threads(10 + number);
	omp_set_schedule(kinds[number % 4], 5 + number);
	omp_set_default_device(number);
	omp_set_max_active_levels(4 + number);
}

int main(void)
{
	omp_set_max_active_levels(4);
	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(3)
	{
		const int me = omp_get_thread_num();

		set_all(me);
		if (me == 0) {
			omp_set_dynamic(1);
			truth_record();
			truth_stop(4);
		} else if (me == 1) {
			TRUTH_CONSTRUCT(2);
#pragma omp parallel num_threads(2)
			{
				truth_record();
				truth_stop(4);
			}
		} else {
#pragma omp task final(1) if (0)
			{
				set_all(3);
				truth_record_as(0, 0, "explicit");
				truth_stop(4);
			}
		}
	}
	return 0;
}
