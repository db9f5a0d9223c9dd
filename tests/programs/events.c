/* SPDX-License-Identifier: Apache-2.0
 *
 * Regions, tasks and barriers of all kinds. Each is recorded where it is passed: what, the line of its directive, the level,
 * the team's size, number and league there. `events ROUNDS' goes through all of them so often; `events ROUNDS fast' only through one
 * region, and records nothing. With OMP_CANCELLATION=true some are cancelled.
 * Truth, written at the end: {"events": [[what, line, level, team size, team number, number of teams], ...]}.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 100000 };

static struct {
	const char *what;
	int line, level, size, team, teams;
} events[MOST];
static int count;
volatile int sink, go;

static void record(const char *what, int line, int level, int size)
{
	int i;

#pragma omp atomic capture
	i = count++;
	if (i >= MOST)
		abort();
	events[i].what = what;
	events[i].line = line;
	events[i].level = level;
	events[i].size = size;
	events[i].team = omp_get_team_num();
	events[i].teams = omp_get_num_teams();
}

static void passed(const char *what, int line)
{
	record(what, line, omp_get_level(), omp_get_num_threads());
}

/* Each worker records itself. */
static void come(void)
{
	static __thread int known;

	if (!known && syscall(SYS_gettid) != getpid())
		passed("thread begin", 0);
	known = 1;
}

/* Of a region or a barrier: its thread 0 records it. All threads come here. */
static void passed_by_team(const char *what, int line)
{
	come();
	if (omp_get_thread_num() == 0)
		passed(what, line);
}

static void five_regions(int round)
{
	for (int i = 0; i < 5; i++) {
		int line = __LINE__ + 1;
#pragma omp parallel num_threads(4)
		{
			passed_by_team("parallel begin", line);
			sink = round;
		}
		passed("parallel end", line);
	}
}

static void changing_team(void)
{
	static const int sizes[] = {4, 2, 3, 1};

	for (int i = 0; i < 4; i++) {
		int line = __LINE__ + 1;
#pragma omp parallel num_threads(sizes[i])
		passed_by_team("parallel begin", line);
		passed("parallel end", line);
	}
}

static void nested(void)
{
	int line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
	{
		int inner = __LINE__ + 2;
		passed_by_team("parallel begin", line);
#pragma omp parallel num_threads(2)
		passed_by_team("parallel begin", inner);
		passed("parallel end", inner);
	}
	passed("parallel end", line);
}

static void recursive(int depth)
{
	int line = __LINE__ + 1;
#pragma omp parallel num_threads(1 + depth % 2)
	{
		passed_by_team("parallel begin", line);
		if (depth > 0 && omp_get_thread_num() == 0)
			recursive(depth - 1);
	}
	passed("parallel end", line);
}

static void serialized(int no)
{
	int line = __LINE__ + 1;
#pragma omp parallel if (no)
	passed_by_team("parallel begin", line);
	passed("parallel end", line);
	line = __LINE__ + 1;
#pragma omp parallel num_threads(1)
	{
		int inner = __LINE__ + 2;
		passed_by_team("parallel begin", line);
#pragma omp parallel if (no)
		passed_by_team("parallel begin", inner);
		passed("parallel end", inner);
	}
	passed("parallel end", line);
}

/* The last call of a function may be a jump. */
static int last_line = __LINE__ + 3;
static __attribute__((noinline)) void last_in_function(void)
{
#pragma omp parallel num_threads(2)
	passed_by_team("parallel begin", last_line);
}

static void tasks(int no)
{
	int line = __LINE__ + 1;
#pragma omp parallel num_threads(4)
	{
		passed_by_team("parallel begin", line);
#pragma omp single nowait
		{
			for (int i = 0; i < 3; i++) {
				int here = __LINE__ + 1;
#pragma omp task firstprivate(i, here)
				{
					passed("task begin", here);
					sink = i;
					int inner = __LINE__ + 1;
#pragma omp task firstprivate(inner)
					passed("task begin", inner);
				}
			}
			int here = __LINE__ + 1;
#pragma omp task if (no)
			passed("task begin", here);
			here = __LINE__ + 1;
#pragma omp task final(!no)
			{
				passed("task begin", here);
				int inner = __LINE__ + 1;
#pragma omp task firstprivate(inner)
				passed("task begin", inner);
			}
#pragma omp taskwait
			here = __LINE__ + 1;
#pragma omp taskloop grainsize(1)
			for (int i = 0; i < 4; i++)
				passed("task begin", here);
			here = __LINE__ + 1;
#pragma omp task untied firstprivate(here)
			{
				passed("task begin", here);
#pragma omp taskyield
				sink = here;
#pragma omp taskwait
				sink = 0;
			}
		}
	}
	passed("parallel end", line);
}

static void barriers(int round)
{
	int sum = 0;
	int line = __LINE__ + 1;
#pragma omp parallel num_threads(3)
	{
		passed_by_team("parallel begin", line);
		for (int i = 0; i < 2; i++) {
#pragma omp barrier
			passed_by_team("barrier", __LINE__ - 1);
		}
		int here = __LINE__ + 1;
#pragma omp for
		for (int i = 0; i < 9; i++)
			sink = i;
		passed_by_team("barrier", here);
		here = __LINE__ + 1;
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 9; i++)
			sink = i;
		passed_by_team("barrier", here);
		here = __LINE__ + 1;
#pragma omp single
		sink = round;
		passed_by_team("barrier", here);
		here = __LINE__ + 1;
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < 9; i++)
			sum += i;
		passed_by_team("barrier", here);
		here = __LINE__ + 1;
#pragma omp for reduction(task, + : sum)
		for (int i = 0; i < 9; i++)
			sum += i;
		passed_by_team("barrier", here);
		int copied;
		here = __LINE__ + 1;
#pragma omp single copyprivate(copied)
		copied = round;
		passed_by_team("barrier", here);
		sink = copied;
		here = __LINE__ + 1;
#pragma omp sections
		{
#pragma omp section
			sink = 1;
#pragma omp section
			sink = 2;
		}
		passed_by_team("barrier", here);
	}
	passed("parallel end", line);
}

/* In an initial thread libomp's omp_get_num_threads() tells what its parallel regions may have. */
static void leagues(void)
{
	static const int sizes[] = {3, 1, 2};

	for (int i = 0; i < 3; i++) {
		int line = __LINE__ + 1;
#pragma omp teams num_teams(sizes[i]) thread_limit(2)
		{
			come();
			record("teams begin", line, 0, 1);
			int inner = __LINE__ + 1;
#pragma omp parallel num_threads(2)
			{
				int innermost = __LINE__ + 4;
				passed_by_team("parallel begin", inner);
#pragma omp barrier
				passed_by_team("barrier", __LINE__ - 1);
#pragma omp parallel num_threads(1)
				passed_by_team("parallel begin", innermost);
				passed("parallel end", innermost);
			}
			record("parallel end", inner, 0, 1);
		}
		passed("teams end", line);
	}
}

/* A team's thread 0 has its first iteration. */
static void combined_league(void)
{
	int line = __LINE__ + 1;
#pragma omp teams distribute parallel for num_teams(2) thread_limit(2)
	for (int i = 0; i < 8; i++) {
		come();
		if (i % 4 == 0) {
			record("teams begin", line, 0, 1);
			passed("parallel begin", line);
			record("parallel end", line, 0, 1);
		}
	}
	passed("teams end", line);
}

/* Unless the runtime allows no cancellation, no thread passes the barrier. */
static void cancelled(void)
{
	int line = __LINE__ + 1;
#pragma omp parallel num_threads(3)
	{
		passed_by_team("parallel begin", line);
		if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
		}
#pragma omp barrier
		passed_by_team("barrier", __LINE__ - 1);
	}
	passed("parallel end", line);
}

static void write_truth(void)
{
	const char *path = getenv("OMPD_TRUTH_FILE");
	FILE *file = path != NULL ? fopen(path, "w") : NULL;

	if (file == NULL)
		exit(2);
	fprintf(file, "{\"events\": [");
	for (int i = 0; i < count; i++)
		fprintf(file, "%s[\"%s\", %d, %d, %d, %d, %d]", i > 0 ? ",\n" : "", events[i].what,
			events[i].line, events[i].level, events[i].size, events[i].team,
			events[i].teams);
	fprintf(file, "]}\n");
	fclose(file);
}

static void many_regions(int rounds)
{
	for (int i = 0; i < rounds; i++) {
#pragma omp parallel num_threads(4)
		sink = i;
	}
}

/* For a debugger that attaches: the record says by being there that it can. */
static void wait_to_go(void)
{
	const char *park = getenv("OMPD_TRUTH_STOP");

	if (park != NULL)
		write_truth();
	for (int i = 0; park != NULL && !go && i < 6000; i++)
		usleep(10000);
}

/* Not in main: clang lets the runtime start where the function with the constructs begins. */
static __attribute__((noinline)) void pass_all(int rounds, int no)
{
	for (int i = 0; i < rounds; i++) {
		five_regions(i);
		changing_team();
		nested();
		recursive(4);
		serialized(no);
		last_in_function();
		passed("parallel end", last_line);
		tasks(no);
		barriers(i);
		cancelled();
	}
	/* Once: leagues again and again can hang libomp 14, by itself. */
	leagues();
	combined_league();
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 1;

	/* libomp's default limit is the number of processors, and the machine may have few. */
	setenv("KMP_TEAMS_THREAD_LIMIT", "16", 0);
	omp_set_max_active_levels(4);
	omp_set_dynamic(0);
	wait_to_go();
	if (argc > 2) {
		many_regions(rounds);
		return 0;
	}
	pass_all(rounds, argc > 100);
	write_truth();
	return 0;
}
