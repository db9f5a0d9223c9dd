/* SPDX-License-Identifier: Apache-2.0
 *
 * Work-sharing loops of each schedule (the argument); every thread stops in an iteration of its own.
 * Truth, in OMPD_TRUTH_FILE.loops: a line "NUMBER FIRST AT" for each thread in the loop: the iteration that it began
 * with, and the one that it is at, counted from 0.
 */
#include "truth.h"

#define THREADS 4
#define COUNT 120
#define START 10
#define STEP 3
#define END (START + COUNT * STEP)

static long first_of[THREADS];
static int met_by[THREADS];
static int stop_at = 2; /* which of its iterations a thread stops in */

__attribute__((noinline)) static void hold(long iteration)
{
	const int me = omp_get_thread_num();

	if (met_by[me]++ == 0)
		first_of[me] = iteration;
	if (met_by[me] == stop_at) {
		truth_append("loops", "%d %ld %ld\n", me, first_of[me], iteration);
		truth_record();
		truth_stop(THREADS);
	}
}

/* The bounds are variables: clang then copies the loop's variable before the loop begins. */
static void run(const char *schedule, int start, int end)
{
	if (strcmp(schedule, "static") == 0) {
#pragma omp parallel for num_threads(THREADS) schedule(static)
		for (int i = start; i < end; i += STEP)
			hold((i - START) / STEP);
	} else if (strcmp(schedule, "chunked") == 0) {
#pragma omp parallel for num_threads(THREADS) schedule(static, 4)
		for (int i = start; i < end; i += STEP)
			hold((i - START) / STEP);
	} else if (strcmp(schedule, "nonmonotonic") == 0) {
#pragma omp parallel for num_threads(THREADS) schedule(nonmonotonic : dynamic, 4)
		for (int i = start; i < end; i += STEP)
			hold((i - START) / STEP);
	} else if (strcmp(schedule, "dynamic") == 0) {
#pragma omp parallel for num_threads(THREADS) schedule(monotonic : dynamic, 4)
		for (int i = start; i < end; i += STEP)
			hold((i - START) / STEP);
	} else if (strcmp(schedule, "guided") == 0) {
#pragma omp parallel for num_threads(THREADS) schedule(monotonic : guided, 4)
		for (int i = start; i < end; i += STEP)
			hold((i - START) / STEP);
	} else if (strcmp(schedule, "down") == 0) {
#pragma omp parallel for num_threads(THREADS) schedule(monotonic : dynamic, 4)
		for (long i = end; i > start; i -= STEP)
			hold((END - i) / STEP);
	} else if (strcmp(schedule, "runtime") == 0) {
		omp_set_schedule(omp_sched_static, 4);
#pragma omp parallel for num_threads(THREADS) schedule(runtime)
		for (int i = start; i < end; i += STEP)
			hold((i - START) / STEP);
	} else if (strcmp(schedule, "even") == 0) {
		omp_set_schedule(omp_sched_static, 0);
#pragma omp parallel for num_threads(THREADS) schedule(runtime)
		for (int i = start; i < end; i += STEP)
			hold((i - START) / STEP);
	} else if (strcmp(schedule, "ordered") == 0) {
		stop_at = 1;
#pragma omp parallel for num_threads(THREADS) schedule(monotonic : dynamic, 4) ordered
		for (int i = start; i < end; i += STEP) {
			hold((i - START) / STEP);
#pragma omp ordered
			truth_seen();
		}
	}
}

/* More sections than threads: who has got one stays in it. */
static void sections(int combined)
{
	stop_at = 1;
	if (combined) {
#pragma omp parallel sections num_threads(THREADS)
		{
#pragma omp section
			hold(0);
#pragma omp section
			hold(1);
#pragma omp section
			hold(2);
#pragma omp section
			hold(3);
#pragma omp section
			hold(4);
#pragma omp section
			hold(5);
		}
		return;
	}
#pragma omp parallel num_threads(THREADS)
	{
#pragma omp sections
		{
#pragma omp section
			hold(0);
#pragma omp section
			hold(1);
#pragma omp section
			hold(2);
#pragma omp section
			hold(3);
#pragma omp section
			hold(4);
		}
		truth_seen();
	}
}

/* Thread 0 stays in a section, the others wait behind the construct. */
static void behind_sections(void)
{
	stop_at = 1;
#pragma omp parallel num_threads(THREADS)
	{
		truth_seen();
#pragma omp sections nowait
		{
#pragma omp section
			if (omp_get_thread_num() == 0)
				hold(0);
#pragma omp section
			if (omp_get_thread_num() == 0)
				hold(1);
		}
		if (met_by[omp_get_thread_num()] == 0) {
			truth_record();
			truth_stop(THREADS);
		}
	}
}

static void orphaned(int start, int end)
{
#pragma omp for schedule(static)
	for (int i = start; i < end; i += STEP)
		hold((i - START) / STEP);
}

/* Thread 0 stays in the loop, the others go on behind it. */
static void behind(int start, int end, int dynamic)
{
	stop_at = -1;
#pragma omp parallel num_threads(THREADS)
	{
		if (dynamic) {
#pragma omp for schedule(monotonic : dynamic, 4) nowait
			for (int i = start; i < end; i += STEP) {
				if (omp_get_thread_num() == 0) {
					stop_at = met_by[0] + 1;
					hold((i - START) / STEP);
				}
			}
		} else {
#pragma omp for schedule(static) nowait
			for (int i = start; i < end; i += STEP) {
				if (omp_get_thread_num() == 0) {
					stop_at = met_by[0] + 1;
					hold((i - START) / STEP);
				}
			}
		}
		truth_record();
		truth_stop(THREADS);
	}
}

/* Not the first loop of its region, and not that of the last region. */
static void second(int start, int end)
{
#pragma omp parallel num_threads(THREADS)
	{
#pragma omp for schedule(monotonic : dynamic, 1) nowait
		for (int i = start; i < end; i += 1)
			truth_seen();
#pragma omp for schedule(monotonic : dynamic, 4)
		for (int i = start; i < end; i += STEP)
			hold((i - START) / STEP);
	}
}

/* A loop was there before, and none is now. */
static void after(int start, int end)
{
#pragma omp parallel for num_threads(THREADS) schedule(monotonic : dynamic, 4)
	for (int i = start; i < end; i += STEP)
		truth_seen();
#pragma omp parallel num_threads(THREADS)
	{
		truth_record();
		truth_stop(THREADS);
	}
}

/* Each thread of the loop is in a region of its own inside it. */
static void nested(int start, int end)
{
	omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(THREADS) schedule(nonmonotonic : dynamic, 4)
	for (int i = start; i < end; i += STEP) {
		truth_append("loops", "%d %d %d\n", omp_get_thread_num(), (i - START) / STEP,
			     (i - START) / STEP);
#pragma omp parallel num_threads(2)
		{
			truth_record();
			truth_stop(2 * THREADS);
		}
	}
}

int main(int argc, char **argv)
{
	const char *schedule = argc > 1 ? argv[1] : "static";

	truth_begin();
	if (strcmp(schedule, "orphaned") == 0) {
#pragma omp parallel num_threads(THREADS)
		orphaned(START, END);
	} else if (strcmp(schedule, "behind") == 0 || strcmp(schedule, "behind-static") == 0) {
		behind(START, END, strcmp(schedule, "behind") == 0);
	} else if (strcmp(schedule, "nested") == 0) {
		nested(START, END);
	} else if (strcmp(schedule, "sections") == 0 || strcmp(schedule, "combined") == 0) {
		sections(strcmp(schedule, "combined") == 0);
	} else if (strcmp(schedule, "behind-sections") == 0) {
		behind_sections();
	} else if (strcmp(schedule, "second") == 0) {
		second(START, END);
	} else if (strcmp(schedule, "after") == 0) {
		after(START, END);
	} else {
		run(schedule, START, END);
	}
	return 0;
}
