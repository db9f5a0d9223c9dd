/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs that never go on for tasks that do not end, turns that do not come, and cancellation that nobody looks for; and their
 * innocent twins.
 */
#include "guilty.h"

#include <dlfcn.h>
#include <semaphore.h>

static omp_lock_t lock_a;
static sem_t never;
static int met, begun;
static unsigned long shared;

static int me(void)
{
	return omp_get_thread_num();
}

/* A twin's goes on. */
static __attribute__((noinline)) void wait_for_ever(void)
{
	stuck();
	if (guilty)
		sem_wait(&never);
	work(SHORT);
}

static void begin(void)
{
	__atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
}

/* Executed by another thread than the one that made it. */
static void until_begun(void)
{
	if (guilty)
		until(&begun, 1);
}

/* ---- A task that does not end ------------------------------------------------------------------- */

static void child_never_ends(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
#pragma omp task
		{
			begin();
			wait_for_ever();
		}
		until_begun();
		waits();
#pragma omp taskwait
	}
}

static void group_never_ends(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
#pragma omp taskgroup
		{
#pragma omp task
			{
				begin();
				wait_for_ever();
			}
			until_begun();
			waits();
		}
	}
}

static void taskloop_never_ends(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
		const int maker = me();

#pragma omp taskloop grainsize(1)
		for (int i = 0; i < 2; i++) {
			if (me() == maker) {
				until_begun();
				waits();
			} else {
				begin();
				wait_for_ever();
			}
		}
	}
}

/* Nobody executes what waits for a predecessor. */
static void predecessor_never_ends(void)
{
	int order __attribute__((unused)) = 0;

#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
#pragma omp task depend(out : order)
		{
			begin();
			wait_for_ever();
		}
#pragma omp task depend(inout : order)
		work(SHORT);
#pragma omp task depend(in : order)
		work(SHORT);
		until_begun();
		waits();
#pragma omp taskwait
	}
}

/* The task that would wake them is queued: of the team one waits for it, the other for a lock. */
static void queued_for_nobody(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			omp_set_lock(&lock_a);
			meet(&met, 2);
#pragma omp task
			sem_post(&never);
			if (!guilty)
				omp_unset_lock(&lock_a);
			stuck();
			sem_wait(&never);
			if (guilty)
				omp_unset_lock(&lock_a);
		} else {
			meet(&met, 2);
			stuck();
			omp_set_lock(&lock_a);
			omp_unset_lock(&lock_a);
		}
	}
}

/* It spins for what a task will do that depends on it. */
static void spins_for_its_successor(void)
{
	static int flag;
	int order __attribute__((unused)) = 0;

#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
#pragma omp task depend(out : order)
		{
			begin();
			declare("works");
			while (guilty && !__atomic_load_n(&flag, __ATOMIC_SEQ_CST)) {
#pragma omp taskyield
			}
		}
#pragma omp task depend(in : order)
		__atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
		until_begun();
		waits();
#pragma omp taskwait
		__atomic_store_n(&flag, 0, __ATOMIC_SEQ_CST);
	}
}

/* ---- Detached tasks ------------------------------------------------------------------------------ */

/* Older runtimes do not have it, and are good for all else here. */
static void fulfil(omp_event_handle_t event)
{
	void (*routine)(omp_event_handle_t);

	*(void **)&routine = dlsym(RTLD_DEFAULT, "omp_fulfill_event");
	if (!guilty)
		routine(event);
}

static void detach_one(void)
{
	omp_event_handle_t event = (omp_event_handle_t)0;

#pragma omp task detach(event)
	begin();
	fulfil(event);
}

static void detached_at_taskwait(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			detach_one();
			until_begun();
			stuck();
#pragma omp taskwait
		} else {
			waits();
		}
	}
}

static void detached_at_taskgroup(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
#pragma omp taskgroup
			{
				detach_one();
				until_begun();
				stuck();
			}
		} else {
			waits();
		}
	}
}

static void detached_at_barrier(void)
{
#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			detach_one();
			until_begun();
		}
		stuck();
#pragma omp barrier
		work(SHORT);
	}
}

static void detached_predecessor(void)
{
	int order __attribute__((unused)) = 0;

#pragma omp parallel num_threads(2)
	{
		if (me() == 0) {
			omp_event_handle_t event = (omp_event_handle_t)0;

#pragma omp task detach(event) depend(out : order)
			begin();
			fulfil(event);
#pragma omp task depend(in : order)
			work(SHORT);
			until_begun();
			stuck();
#pragma omp taskwait
		} else {
			waits();
		}
	}
}

/* ---- Turns --------------------------------------------------------------------------------------- */

/* Whoever has the turn waits for what comes after it. */
static void turn_waits_for_later(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < 3; i++) {
			stuck();
#pragma omp ordered
			{
				if (i == 0 && guilty)
					sem_wait(&never);
				if (i == 1 && guilty)
					sem_post(&never);
				shared++;
			}
		}
	}
}

/* It has the turn, and has not come to the construct. */
static void turn_not_taken(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp for ordered schedule(dynamic)
		for (int i = 0; i < 3; i++) {
			meet(&met, 3);
			if (i == 0)
				wait_for_ever();
			else
				waits();
#pragma omp ordered
			shared++;
		}
	}
}

static void turn_of_the_dead(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < 3; i++) {
			meet(&met, 3);
			if (i == 1 && guilty)
				pthread_exit(NULL);
			if (i == 2)
				stuck();
			else
				waits();
#pragma omp ordered
			shared++;
		}
	}
}

/* ---- Cancellation -------------------------------------------------------------------------------- */

/* One waits for what another would have done that was cancelled, and comes to no point of cancellation. */
static void cancel_not_seen(void)
{
	static int ready;

#pragma omp parallel num_threads(3)
	{
		if (me() == 1) {
#pragma omp cancel parallel if (guilty)
			__atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
		}
		if (me() == 2) {
			stuck();
			while (!__atomic_load_n(&ready, __ATOMIC_SEQ_CST))
				doze(1000);
		} else {
			waits();
		}
#pragma omp barrier
		work(SHORT);
		if (me() == 0)
			__atomic_store_n(&ready, 0, __ATOMIC_SEQ_CST);
	}
}

static const struct guilty_scenario scenarios[] = {
	GUILTY(child_never_ends, OUTSIDE, 2),     GUILTY(group_never_ends, OUTSIDE, 2),
	GUILTY(taskloop_never_ends, OUTSIDE, 2),  GUILTY(predecessor_never_ends, OUTSIDE, 2),
	GUILTY(queued_for_nobody, OUTSIDE, 2),    GUILTY(spins_for_its_successor, SPINNING, 2),
	GUILTY(detached_at_taskwait, OUTSIDE, 2), GUILTY(detached_at_taskgroup, OUTSIDE, 2),
	GUILTY(detached_at_barrier, OUTSIDE, 2),  GUILTY(detached_predecessor, OUTSIDE, 2),
	GUILTY(turn_waits_for_later, OUTSIDE, 3), GUILTY(turn_not_taken, OUTSIDE, 3),
	GUILTY(turn_of_the_dead, FORGOTTEN, 2),   GUILTY(cancel_not_seen, SPINNING, 2),
};

int main(int argc, char **argv)
{
	/* GNU's runtime has read it before. */
	if (setenv("OMP_CANCELLATION", "true", 0) == 0 && argc && !getenv("GUILTY_AGAIN")) {
		setenv("GUILTY_AGAIN", "1", 1);
		execv("/proc/self/exe", argv);
	}
	omp_init_lock(&lock_a);
	sem_init(&never, 0, 0);
	return RUN_ONE(scenarios, argc, argv);
}
