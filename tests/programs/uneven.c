/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uneven ROUNDS MILLISECONDS STATUS: in each round thread 1 of two works so long, by the processor's
 * clock, and thread 0 waits for it at the end of the loop. It prints a line, and ends with STATUS.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile double sink;

static double processor_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((noinline)) static void slow_part(double seconds)
{
	double end = processor_seconds() + seconds;

	while (processor_seconds() < end)
		for (int i = 0; i < 100000; i++)
			sink = sink + 1; /* SLOW */
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 5;
	double seconds = argc > 2 ? 1e-3 * atof(argv[2]) : 0.1;

	for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(2) /* REGION */
		{
#pragma omp for schedule(static, 1) /* LOOP */
			for (int part = 0; part < 2; part++)
				if (part == 1)
					slow_part(seconds);
			sink = omp_get_thread_num();
		}
	}
	printf("%d rounds\n", rounds);
	return argc > 3 ? atoi(argv[3]) : 0;
}
