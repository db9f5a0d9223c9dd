/* SPDX-License-Identifier: Apache-2.0
 *
 * rounds THREADS ROUNDS WORK DEPTH PAUSE: in each round all threads do the same work, DEPTH frames of half a KiB
 * below their region's function, and before the next one PAUSE microseconds go by. Prints the seconds that they had a
 * processor.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static double processor_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

__attribute__((noinline)) static long work(long amount, int depth)
{
	volatile char frame[480];
	volatile long turns = 0;

	frame[0] = (char)depth;
	if (depth > 0)
		return work(amount, depth - 1) + frame[0];
	for (long i = 0; i < amount; i++)
		turns = turns + 1;
	return turns;
}

int main(int argc, char **argv)
{
	if (argc < 6)
		return 2;
	const int threads = atoi(argv[1]), rounds = atoi(argv[2]), depth = atoi(argv[4]);
	const int pause = atoi(argv[5]);
	const long amount = atol(argv[3]);
	double before = 0;

	/* The first one makes the threads. */
	for (int i = 0; i <= rounds; i++) {
#pragma omp parallel num_threads(threads)
		work(amount, depth);
		if (i == 0)
			before = processor_seconds();
		if (pause)
			usleep((unsigned)pause);
	}
	printf("%.6f\n", processor_seconds() - before);
	return 0;
}
