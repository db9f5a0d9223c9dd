/* SPDX-License-Identifier: Apache-2.0
 *
 * OUTER x INNER threads, each in a region of its own level, call stop_here() once all are there. INNER 1: no
 * inner regions.
 */
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

static int arrived;

__attribute__((noinline)) static void stop_here(void)
{
	__asm__ volatile("");
}

static void wait_for(int all)
{
	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == all) {
		stop_here();
		exit(0);
	}
	for (;;)
		usleep(100000);
}

int main(int argc, char **argv)
{
	const int outer = argc > 1 ? atoi(argv[1]) : 64;
	const int inner = argc > 2 ? atoi(argv[2]) : 1;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(outer)
	{
		if (inner == 1)
			wait_for(outer);
#pragma omp parallel num_threads(inner) if (inner > 1)
		wait_for(outer * inner);
	}
	return 0;
}
