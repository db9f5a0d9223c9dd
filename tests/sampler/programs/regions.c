/* SPDX-License-Identifier: Apache-2.0
 *
 * Four regions in turn: one that is uneven, tasks, a critical construct, and one of which nothing is left on the stack, since
 * its code ends by a jump to a function that others may call. At its end it prints how long each has been on a processor.
 * As a library: without main, which -DCALLER makes of its own.
 */
#include <omp.h>
#include <stdio.h>
#include <time.h>

void run(void);

#ifndef CALLER
enum { UNEVEN, TASKS, LOCKED, JUMPING, REGIONS };
static const char *const names[REGIONS] = {"uneven", "tasks", "locked", "jumping"};
static double sums[REGIONS];

static double processor_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) static void spend(int which, double seconds)
{
	const double begin = processor_time();
	double now;

	do
		now = processor_time();
	while (now < begin + seconds);
#pragma omp atomic
	sums[which] += now - begin;
}

/* Nothing made way for anything, but where it is meant to. */
#define STAYS __asm__ volatile("")

__attribute__((noinline)) void jumped_to(void)
{
	spend(JUMPING, 0.004);
	STAYS;
}

__attribute__((noinline)) static void uneven(void)
{
#pragma omp parallel num_threads(2)
	{
		spend(UNEVEN, omp_get_thread_num() ? 0.002 : 0.006);
		STAYS;
	}
	STAYS;
}

__attribute__((noinline)) static void tasks(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		for (int i = 0; i < 4; i++)
#pragma omp task
		{
			spend(TASKS, 0.002);
			STAYS;
		}
	}
	STAYS;
}

__attribute__((noinline)) static void locked(void)
{
#pragma omp parallel num_threads(2)
	{
		for (int i = 0; i < 2; i++) {
#pragma omp critical(named)
			spend(LOCKED, 0.002);
		}
		STAYS;
	}
	STAYS;
}

__attribute__((noinline)) static void jumping(void)
{
#pragma omp parallel num_threads(2)
	jumped_to();
	STAYS;
}

void run(void)
{
	while (sums[UNEVEN] < 0.4) {
		uneven();
		tasks();
		locked();
		jumping();
	}
	for (int i = 0; i < REGIONS; i++)
		printf("%s %.9f\n", names[i], sums[i]);
}
#endif

#ifndef LIBRARY
int main(void)
{
	run();
	return 0;
}
#endif
