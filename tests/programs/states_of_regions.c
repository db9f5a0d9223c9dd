/* SPDX-License-Identifier: Apache-2.0
 *
 * Regions that begin, end or are given up in other ways than most: leagues, several initial regions, cancellation.
 */
#include "states.h"

static void league(void)
{
#pragma omp teams num_teams(2) thread_limit(2)
	{
		if (omp_get_team_num() == 1)
			work("work_serial");
		else
			going_to("wait_barrier_teams", 0);
	}
}

static void parallel_in_league(void)
{
#pragma omp teams num_teams(2) thread_limit(4)
#pragma omp parallel num_threads(2)
	{
		if (omp_get_team_num() == 1)
			work("work_parallel");
		else if (omp_get_thread_num() == 1)
			going_to("wait_barrier_explicit", __LINE__ + 3);
		else
			work("work_parallel");
#pragma omp barrier
		truth_seen();
	}
}

static void *second_root(void *unused)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1)
			work("work_parallel");
		else
			going_to("wait_barrier_explicit", __LINE__ + 1);
#pragma omp barrier
	}
	return unused;
}

/* Two initial regions: the second is of a thread that the program made, beside one that never uses OpenMP. */
static void two_roots(void)
{
	pthread_t other;

	pthread_create(&other, NULL, second_root, NULL);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			work("work_parallel");
		else
			going_to("wait_barrier_implicit_parallel", 0);
	}
	pthread_join(other, NULL);
}

/* The loop is given up by one thread, and the others follow at the next point. */
static void cancelled(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 3; i++) {
			if (i == 1) {
				work("work_parallel");
			} else {
				going_to("wait_barrier_implicit_workshare", __LINE__ - 5);
#pragma omp cancel for
			}
		}
		truth_seen();
	}
}

/* The same of a loop that the runtime hands out, and of sections. */
static void cancelled_dynamic(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp for schedule(dynamic, 1)
		for (int i = 0; i < 3; i++) {
			if (i == 0)
				work("work_parallel");
			until(&declared, 1);
#pragma omp cancel for
		}
		truth_seen();
	}
}

/* Optimised code makes way for the runtime's at its end. */
static __attribute__((noinline)) void share_sections(void)
{
#pragma omp sections
	{
#pragma omp section
		work("work_parallel");
	}
}

static void sections_last(void)
{
#pragma omp parallel num_threads(2)
	{
		share_sections();
		truth_seen();
	}
}

static void cancelled_sections(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp sections
		{
#pragma omp section
			work("work_parallel");
#pragma omp section
			{
				until(&declared, 1);
#pragma omp cancel sections
			}
		}
		truth_seen();
	}
}

/* The whole region is given up: those that have done so wait for the others where it was. */
static void cancelled_region(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1) {
			work("work_parallel");
		} else {
			going_to("wait_barrier_implicit_parallel", 0);
#pragma omp cancel parallel
		}
		truth_seen();
	}
}

/* What one thread read is given to all: they wait for it. */
static void copied(void)
{
#pragma omp parallel num_threads(3)
	{
		int value __attribute__((unused)) = 0;

#pragma omp single copyprivate(value)
		{
			value = 1;
			work("work_parallel");
		}
		truth_seen();
	}
}

/* Nothing to offload to: the initial thread executes it. */
static void target_on_host(void)
{
#pragma omp target
	work("work_serial");
}

/* Its first code is executed before others have come: nobody waits for anybody. */
static void forking(void)
{
#pragma omp parallel num_threads(2)
	work("work_parallel");
}

static const struct scenario scenarios[] = {
	{"league", league, 2},
	{"parallel_in_league", parallel_in_league, 4},
	{"two_roots", two_roots, 4},
	{"cancelled", cancelled, 3},
	{"cancelled_dynamic", cancelled_dynamic, 1},
	{"cancelled_sections", cancelled_sections, 1},
	{"sections_last", sections_last, 1},
	{"cancelled_region", cancelled_region, 3},
	{"copied", copied, 1},
	{"target_on_host", target_on_host, 1},
	{"forking", forking, 2},
};

int main(int argc, char **argv)
{
	setenv("OMP_CANCELLATION", "true", 0);
	/* libomp's default limit is the number of processors, and the machine may have few. */
	setenv("KMP_TEAMS_THREAD_LIMIT", "16", 0);
	return RUN_SCENARIO(scenarios, argc, argv);
}
