/* SPDX-License-Identifier: Apache-2.0
 *
 * A program of scenarios, one of which is named by the first argument: each thread declares what it is about to
 * do and stays there, until an observer that is no thread of OpenMP's stops the program.
 * Truth, in OMPD_TRUTH_FILE.states: a line "TID STATE LINE CALL" for each thread, STATE by its OMPT name, LINE of
 * the construct that it waits for, or 0, CALL the function outside OpenMP that it is in, or "-".
 */
#ifndef STATES_H
#define STATES_H

#include "scenarios.h"
#include "truth.h"

static int declared, expected;

static inline void going_into(const char *call, const char *state, int line)
{
	truth_append("states", "%ld %s %d %s\n", truth_tid(), state, line, call);
	__atomic_add_fetch(&declared, 1, __ATOMIC_SEQ_CST);
}

/* What the calling thread is going to do next. */
static inline void going_to(const char *state, int line)
{
	going_into("-", state, line);
}

static inline void until(const int *flag, int value)
{
	while (__atomic_load_n(flag, __ATOMIC_SEQ_CST) < value)
		usleep(1000);
}

static inline void stay(void)
{
	until(&truth_released, 1);
}

static inline void work(const char *state)
{
	going_into("usleep", state, 0);
	stay();
}

/* The last of `others' that declares itself is the one to begin: it holds what they wait for. */
static inline void work_after(int others)
{
	until(&declared, others);
	work("work_parallel");
}

static inline void *observe(void *unused)
{
	truth_record_native();
	until(&declared, expected);
	settle();
	truth_write();
	stop_here();
	__atomic_store_n(&truth_released, 1, __ATOMIC_SEQ_CST);
	return unused;
}

struct scenario {
	const char *name;
	void (*run)(void);
	int threads; /* that declare themselves */
};

static inline int run_scenario(const struct scenario *scenario)
{
	pthread_t observer;

	expected = scenario->threads;
	pthread_create(&observer, NULL, observe, NULL);
	scenario->run();
	pthread_join(observer, NULL);
	return 0;
}

#define RUN_SCENARIO(scenarios, argc, argv)                                                        \
	run_scenario(                                                                              \
		(const struct scenario *)SCENARIO_NAMED((argc) > 1 ? (argv)[1] : NULL, scenarios))

#endif /* STATES_H */
