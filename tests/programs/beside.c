/* SPDX-License-Identifier: Apache-2.0
 *
 * Two pthreads that never call OpenMP, started before and after OpenMP, beside a team of three.
 * Truth: everything in the region, and who is no thread of OpenMP's.
 */
#include "truth.h"

static void *no_openmp(void *unused)
{
	truth_record_native();
	while (!__atomic_load_n(&truth_released, __ATOMIC_SEQ_CST))
		usleep(10000);
	return unused;
}

int main(void)
{
	pthread_t before, after;

	pthread_create(&before, NULL, no_openmp, NULL);
	omp_set_max_active_levels(2);
	pthread_create(&after, NULL, no_openmp, NULL);
	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(3)
	{
		truth_record();
		truth_stop(5);
	}
	pthread_join(before, NULL);
	pthread_join(after, NULL);
	return 0;
}
