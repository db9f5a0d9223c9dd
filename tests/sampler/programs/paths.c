/* SPDX-License-Identifier: Apache-2.0
 *
 * paths SEED SECONDS [flat]: one region, begun by `left' or by `right', whose threads work themselves, in a region inside
 * (unless flat), or in tasks, by chance and as unequal as the seed says. At its end it prints for each path how long its
 * threads were on a processor there: "left own 1234", in nanoseconds. It goes on for so long on a processor.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { OWN, INNER, TASKS, KINDS };
static const char *const kinds[KINDS] = {"own", "inner", "tasks"};
static long long sums[2][KINDS];
static unsigned drawn;
static volatile double sink;

static long long processor(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long work(void)
{
	const long long begin = processor();
	long long end;

	do {
		for (int i = 0; i < 1000; i++)
			sink = sink + 1;
		end = processor();
	} while (end < begin + 2000000);
	return end - begin;
}

__attribute__((noinline)) static long long own_work(void)
{
	long long found = work();

	sink = sink + 1;
	return found;
}

__attribute__((noinline)) static long long inner_work(void)
{
	long long found = work();

	sink = sink + 2;
	return found;
}

__attribute__((noinline)) static long long task_work(void)
{
	long long found = work();

	sink = sink + 3;
	return found;
}

__attribute__((noinline)) static void region(int side, int kind)
{
	long long *sum = &sums[side][kind];

#pragma omp parallel num_threads(2)
	{
		long long mine = 0;

		if (kind == OWN) {
			mine = own_work();
		} else if (kind == INNER) {
#pragma omp parallel num_threads(2) reduction(+ : mine)
			mine += inner_work();
		} else {
#pragma omp single
			for (int i = 0; i < 4; i++)
#pragma omp task
			{
				long long found = task_work();

#pragma omp atomic
				*sum += found;
			}
		}
#pragma omp atomic
		*sum += mine;
	}
}

__attribute__((noinline)) static void left(int kind)
{
	region(0, kind);
	sink = sink + 1;
}

__attribute__((noinline)) static void right(int kind)
{
	region(1, kind);
	sink = sink + 2;
}

static double share(void)
{
	return 0.2 + 0.6 * rand_r(&drawn) / RAND_MAX;
}

int main(int argc, char **argv)
{
	drawn = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
	const long long end = (long long)(1e9 * (argc > 2 ? atof(argv[2]) : 1));
	const double of_left = share(), of_own = share();
	const double of_inner = of_own + (argc > 3 ? 0 : (1 - of_own) * share());

	omp_set_max_active_levels(2);
	while (processor() < end) {
		const double place = (double)rand_r(&drawn) / RAND_MAX;
		const int kind = place < of_own ? OWN : place < of_inner ? INNER : TASKS;

		if ((double)rand_r(&drawn) / RAND_MAX < of_left)
			left(kind);
		else
			right(kind);
	}
	for (int side = 0; side < 2; side++)
		for (int kind = 0; kind < KINDS; kind++)
			printf("%s %s %lld\n", side ? "right" : "left", kinds[kind],
			       sums[side][kind]);
	return 0;
}
