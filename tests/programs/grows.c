/* SPDX-License-Identifier: Apache-2.0
 *
 * Teams get threads in every way: the first one grows, an inner one is made of new threads, later ones of threads of the pool.
 */
#include <omp.h>

static volatile int sink;

static void inner(void)
{
#pragma omp parallel num_threads(3)
	sink = omp_get_level();
}

int main(void)
{
	omp_set_max_active_levels(2);
	for (int i = 0; i < 2; i++) {
#pragma omp parallel num_threads(2)
		if (omp_get_thread_num() == 0)
			inner();
#pragma omp parallel num_threads(3)
		sink = i;
	}
	return 0;
}
