/* SPDX-License-Identifier: Apache-2.0
 *
 * 400 threads, of which most are at work, in 32 places: what is told of them has to fit a few screens. Who does
 * what is spread over the team. Nobody waits in a circle.
 */
#include "states.h"

#define THREADS 400
#define AT_WORK 257
#define LOCKS 60  /* each with a thread that waits */
#define MAKERS 20 /* of a task, for which they wait */
#define CHAIN 300 /* tasks, each of which waits for the one before */
#define TEAMS 20

static omp_lock_t locks[LOCKS];
static int held;

/* Each at work on a line of its own. */
#define WORK(number)                                                                               \
	static void work_##number(void)                                                            \
	{                                                                                          \
		going_into("usleep", "work_parallel", 0);                                          \
		while (!__atomic_load_n(&truth_released, __ATOMIC_SEQ_CST))                        \
			usleep(20000);                                                             \
	}
WORK(00)
WORK(01)
WORK(02)
WORK(03)
WORK(04)
WORK(05)
WORK(06)
WORK(07)
WORK(08)
WORK(09)
WORK(10)
WORK(11)
WORK(12)
WORK(13)
WORK(14)
WORK(15)
WORK(16)
WORK(17)
WORK(18)
WORK(19)
WORK(20)
WORK(21)
WORK(22)
WORK(23)
WORK(24)
WORK(25)
WORK(26)
WORK(27)
WORK(28)
WORK(29)
WORK(30)
WORK(31)

static void (*const works[])(void) = {
	work_00, work_01, work_02, work_03, work_04, work_05, work_06, work_07,
	work_08, work_09, work_10, work_11, work_12, work_13, work_14, work_15,
	work_16, work_17, work_18, work_19, work_20, work_21, work_22, work_23,
	work_24, work_25, work_26, work_27, work_28, work_29, work_30, work_31,
};

static void work_at(int place)
{
	works[place % (int)(sizeof(works) / sizeof(works[0]))]();
}

/* It goes on in whoever takes it first. */
static void make_chain(void)
{
	static int link;

	for (int i = 0; i < CHAIN; i++) {
#pragma omp task depend(inout : link)
		work_at(1);
	}
}

static void make_and_wait(int which)
{
#pragma omp task
	work_at(which);
	going_to("wait_taskwait", __LINE__ + 1);
#pragma omp taskwait
}

static void wait_for_a_lock(int which)
{
	until(&held, LOCKS);
	going_to("wait_lock", __LINE__ + 1);
	omp_set_lock(&locks[which]);
	omp_unset_lock(&locks[which]);
}

static void one_of_many(int thread_num)
{
	const int which = thread_num * 149 % THREADS;

	if (which < LOCKS) {
		omp_set_lock(&locks[which]);
		__atomic_add_fetch(&held, 1, __ATOMIC_SEQ_CST);
		work_at(which);
		omp_unset_lock(&locks[which]);
	} else if (which < AT_WORK) {
		if (which == LOCKS)
			make_chain();
		work_at(which);
	} else if (which < AT_WORK + LOCKS) {
		wait_for_a_lock(which - AT_WORK);
	} else if (which < AT_WORK + LOCKS + MAKERS) {
		make_and_wait(which);
	} else {
		going_to("wait_barrier_explicit", 0);
	}
}

/* One team. */
static void flat(void)
{
	for (int i = 0; i < LOCKS; i++)
		omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(THREADS)
	{
		one_of_many(omp_get_thread_num());
#pragma omp barrier
	}
}

static void teams(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(TEAMS)
	{
		const int team = omp_get_thread_num();
#pragma omp parallel num_threads(THREADS / TEAMS)
		{
			const int which = omp_get_thread_num();

			if (which < AT_WORK / TEAMS + team % 2)
				work_at(team + which);
			else
				going_to("wait_barrier_explicit", __LINE__ + 1);
#pragma omp barrier
		}
	}
}

static const struct scenario scenarios[] = {
	{"flat", flat, THREADS + MAKERS + 1},
	{"teams", teams, THREADS},
};

int main(int argc, char **argv)
{
	return RUN_SCENARIO(scenarios, argc, argv);
}
