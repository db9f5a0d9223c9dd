/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that take turns at what the first argument names, for ever, and do nothing else. No function of the program
 * gives up what another has taken.
 */
#include <omp.h>
#include <unistd.h>

#include "scenarios.h"

static omp_lock_t lock_a;
static omp_nest_lock_t nest_a;
static volatile int shared;

static void lock(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		omp_set_lock(&lock_a);
		shared++;
		omp_unset_lock(&lock_a);
	}
}

static void nest_lock(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
		omp_set_nest_lock(&nest_a);
		omp_set_nest_lock(&nest_a);
		shared++;
		omp_unset_nest_lock(&nest_a);
		omp_unset_nest_lock(&nest_a);
	}
}

static void critical(void)
{
#pragma omp parallel num_threads(4)
	FOR_EVER
	{
#pragma omp critical(update)
		shared++;
	}
}

struct scenario {
	const char *name;
	void (*run)(void);
};

static const struct scenario scenarios[] = {
	{"lock", lock}, {"nest_lock", nest_lock}, {"critical", critical}};

int main(int argc, char **argv)
{
	const struct scenario *one = SCENARIO_NAMED(argc == 2 ? argv[1] : NULL, scenarios);

	alarm(LIFE_SECONDS);
	omp_init_lock(&lock_a);
	omp_init_nest_lock(&nest_a);
	one->run();
	return 0;
}
