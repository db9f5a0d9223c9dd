/* SPDX-License-Identifier: Apache-2.0
 *
 * One scenario, named by the first argument: every thread gets to a place of its own and stays there until an
 * observer, which is no thread of OpenMP's, has stopped the program.
 *
 * What the author expects: a line "EXPECT SCENARIO THREADS:" and the stack of so many threads, innermost first,
 * each frame as FUNCTION@PLACE, each construct as its name@PLACE. PLACE is where a comment says so. The empty
 * assembler instructions keep calls from being the last of a function: their frames would be reused.
 */
#include "scenarios.h"
#include "truth.h"

#define NOINLINE __attribute__((noinline))

static int arrived, expected, depth;

NOINLINE static void here(void)
{
	__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&truth_released, __ATOMIC_SEQ_CST))
		usleep(1000); /* PLACE stay */
	__asm__ volatile("");
}

static void *observe(void *unused)
{
	while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < expected)
		usleep(1000);
	settle();
	truth_write();
	stop_here();
	__atomic_store_n(&truth_released, 1, __ATOMIC_SEQ_CST);
	return unused;
}

static void announce(void)
{
	__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
}

static void wait_until(const int *flag, int value)
{
	while (__atomic_load_n(flag, __ATOMIC_SEQ_CST) < value)
		usleep(1000);
}

/* EXPECT nested 4: usleep; here@stay; leaf@leaf; nested@body_of_third; parallel@third; nested@third;
 *                  parallel serialized@second; nested@second; parallel@first; nested@first; main@run
 */
NOINLINE static void leaf(void)
{
	here(); /* PLACE leaf */
	__asm__ volatile("");
}

NOINLINE static void nested(void)
{
	omp_set_max_active_levels(8);
#pragma omp parallel num_threads(2) /* PLACE first */
	{
#pragma omp parallel num_threads(1) /* PLACE second */
		{
#pragma omp parallel num_threads(2) /* PLACE third */
			{
				leaf(); /* PLACE body_of_third */
				__asm__ volatile("");
			}
			__asm__ volatile("");
		}
		__asm__ volatile("");
	}
	__asm__ volatile("");
}

/* A task in a task: the outer one waits for the inner one, which the other thread has taken.
 *
 * EXPECT tasks 1: <taskwait>; outer@wait; generate@runs_outer; task@outer; generate@outer;
 *                 parallel@tasks; generate@tasks; main@run
 * EXPECT tasks 1: usleep; here@stay; inner@inner_stays; outer@runs_inner; task@inner; outer@wait;
 *                 generate@runs_outer; task@outer; generate@outer; parallel@tasks; generate@tasks; main@run
 */
NOINLINE static void inner(void)
{
	here(); /* PLACE inner_stays */
	__asm__ volatile("");
}

NOINLINE static void outer(void)
{
#pragma omp task /* PLACE inner */
	inner(); /* PLACE runs_inner */
	wait_until(&arrived, 1);
	announce();
#pragma omp taskwait /* PLACE wait */
	__asm__ volatile("");
}

NOINLINE static void generate(void)
{
#pragma omp parallel num_threads(2) /* PLACE tasks */
	{
#pragma omp master
		{
#pragma omp task if (0)          /* PLACE outer */
			outer(); /* PLACE runs_outer */
		}
#pragma omp barrier
	}
	__asm__ volatile("");
}

/* The task that generated the one that is executed has ended: where both were created is told, and then the
 * region.
 *
 * EXPECT gone 1: usleep; here@stay; last@last_stays; parent@runs_last; task@last; task@parent; parallel@gone; gone@gone;
 *                main@run
 * EXPECT gone 1: usleep; here@stay; gone@other; parallel@gone; gone@gone; main@run
 */
static int given;

NOINLINE static void last(void)
{
	here(); /* PLACE last_stays */
	__asm__ volatile("");
}

NOINLINE static void parent(void)
{
#pragma omp task /* PLACE last */
	last();  /* PLACE runs_last */
	__atomic_store_n(&given, 1, __ATOMIC_SEQ_CST);
}

NOINLINE static void gone(void)
{
#pragma omp parallel num_threads(2) /* PLACE gone */
	{
		if (omp_get_thread_num() == 0) {
#pragma omp task /* PLACE parent */
			parent();
		} else {
			wait_until(&given, 1);
			here(); /* PLACE other */
			__asm__ volatile("");
		}
	}
	__asm__ volatile("");
}

/* EXPECT waits 1: <critical update>; waits@critical; parallel@waits; waits@waits; main@run
 * EXPECT waits 1: <lock wait `lock'>; waits@lock; parallel@waits; waits@waits; main@run
 * EXPECT waits 1: <barrier, implicit, end of region>; parallel@waits; waits@waits; main@run
 * EXPECT waits 1: usleep; here@stay; waits@holder; parallel@waits; waits@waits; main@run
 * EXPECT waits 1: <idle>
 */
static omp_lock_t lock;

NOINLINE static void waits(void)
{
	static int held;

	omp_init_lock(&lock);
#pragma omp parallel num_threads(5)
	announce();
	arrived = 0;
#pragma omp parallel num_threads(4) /* PLACE waits */
	{
		switch (omp_get_thread_num()) {
		case 0:
			announce();
			break;
		case 1:
			omp_set_lock(&lock);
#pragma omp critical(update)
			{
				__atomic_store_n(&held, 1, __ATOMIC_SEQ_CST);
				here(); /* PLACE holder */
			}
			omp_unset_lock(&lock);
			break;
		case 2:
			wait_until(&held, 1);
			announce();
#pragma omp critical(update) /* PLACE critical */
			__asm__ volatile("");
			break;
		default:
			wait_until(&held, 1);
			announce();
			omp_set_lock(&lock); /* PLACE lock */
			omp_unset_lock(&lock);
		}
	}
	__asm__ volatile("");
}

/* Each task waits for the one that it generated, which the other thread takes: as deep as the second argument says. */
NOINLINE static void descend(int level)
{
	__atomic_store_n(&given, depth - level, __ATOMIC_SEQ_CST);
	if (level == 0) {
		here();
		return;
	}
#pragma omp task firstprivate(level) /* PLACE descend */
	descend(level - 1);
	wait_until(&given, depth - level + 1);
#pragma omp taskwait
	__asm__ volatile("");
}

NOINLINE static void recursion(void)
{
#pragma omp parallel num_threads(2) /* PLACE recursion */
	{
#pragma omp master
		descend(depth);
	}
}

/* EXPECT serialized 1: usleep; here@stay; serialized@body; parallel serialized@zero; serialized@zero;
 *                      parallel serialized@one; serialized@one; main@run
 */
NOINLINE static void serialized(void)
{
#pragma omp parallel num_threads(1) /* PLACE one */
	{
#pragma omp parallel if (0) /* PLACE zero */
		{
			here(); /* PLACE body */
			__asm__ volatile("");
		}
		__asm__ volatile("");
	}
	__asm__ volatile("");
}

/* clang's untied task hands itself on whenever it has generated another one: the parts of its code follow each other
 * on the stack, as the runtime executes them at once.
 *
 * EXPECT untied 1: usleep; here@stay; untied@goes_on; task@untied; untied@untied; parallel serialized@alone;
 *                  untied@alone; main@run
 */
NOINLINE static void untied(void)
{
#pragma omp parallel num_threads(1) /* PLACE alone */
	{
#pragma omp task untied /* PLACE untied */
		{
			for (int i = 0; i < 20; i++) {
#pragma omp task
				__atomic_add_fetch(&given, 1, __ATOMIC_SEQ_CST);
			}
			here(); /* PLACE goes_on */
			__asm__ volatile("");
		}
		__asm__ volatile("");
	}
	__asm__ volatile("");
}

static const struct scenario {
	const char *name;
	void (*run)(void);
	int threads; /* that announce themselves */
} scenarios[] = {
	{"nested", nested, 4}, {"tasks", generate, 2},      {"gone", gone, 2},
	{"waits", waits, 4},   {"recursion", recursion, 1}, {"serialized", serialized, 1},
	{"untied", untied, 1},
};

int main(int argc, char **argv)
{
	const struct scenario *scenario = SCENARIO_NAMED(argc > 1 ? argv[1] : NULL, scenarios);
	pthread_t observer;

	depth = argc > 2 ? atoi(argv[2]) : 4;
	expected = scenario->threads;
	pthread_create(&observer, NULL, observe, NULL);
	scenario->run(); /* PLACE run */
	pthread_join(observer, NULL);
	return 0;
}
