/* SPDX-License-Identifier: Apache-2.0
 *
 * jumps SEED SECONDS: regions of which nothing is left on the stack while they are executed: their code ends by a jump to a
 * function, two of them to the same one. Tells how long each has been on a processor, by the line of its construct.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FIRST, SECOND, THIRD, REGIONS };
static double sums[REGIONS];
static double drawn[REGIONS];

static double processor_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) static void work(int which)
{
	const double begin = processor_time();
	double now;

	do
		now = processor_time();
	while (now < begin + drawn[which]);
#pragma omp atomic
	sums[which] += now - begin;
}

__attribute__((noinline)) static void alone(void)
{
	work(THIRD);
	__asm__ volatile("");
}

/* Each in a function of its own: what it passes is a constant there, and its call is not the last. */
__attribute__((noinline)) static int first(void)
{
	const int line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
	work(FIRST);
	__asm__ volatile("");
	return line;
}

__attribute__((noinline)) static int second(void)
{
	const int line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
	work(SECOND);
	__asm__ volatile("");
	return line;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	srand((unsigned)atoi(argv[1]));
	const double end = omp_get_wtime() + atof(argv[2]);
	int lines[REGIONS];

	for (int i = 0; i < REGIONS; i++)
		drawn[i] = 1e-3 * (2 + rand() % 8);
	while (omp_get_wtime() < end) {
		lines[FIRST] = first();
		lines[SECOND] = second();
		/* In a loop it is in a register. */
		for (int i = 0; i < 3; i++) {
			lines[THIRD] = __LINE__ + 1;
#pragma omp parallel num_threads(2)
			alone();
		}
	}
	for (int i = 0; i < REGIONS; i++)
		printf("%d %.9f\n", lines[i], sums[i]);
	return 0;
}
