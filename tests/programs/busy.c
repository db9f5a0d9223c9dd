/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that is stopped at any moment. It goes on for ever: a region of some steps, a serial part, the next
 * region. In each step every thread works for a while, and then comes to a construct, the same for all.
 *
 * Truth, in `published': what each thread does, in one word that it stores before and after. What it says while it
 * works is so. What it says at a construct is so once others cannot let it pass.
 */
#include "truth.h"

#define THREADS 4
#define STEPS 12
#define MOST_WORK 20000

enum construct {
	SERIAL,
	BARRIER,
	FOR,
	SINGLE,
	CRITICAL,
	LOCK,
	ORDERED,
	TASKWAIT,
	TASKGROUP,
	REGION_END, /* also: until the next region begins */
};

enum phase {
	WORKING,
	AT,      /* on the way to the construct, or in it */
	HOLDING, /* at work where others cannot be, or in a task that its maker waits for */
	LEAVING, /* it was the one that held; at the end of `single' it waits with the others */
	MADE,    /* all tasks are made, and have to be executed now */
};

struct word {
	long tid;
	/* step << 12 | maker of the task << 8 | construct << 4 | phase: of one store, never seen half */
	unsigned long what;
};

/* Read by the tests. */
struct word published[THREADS];

static omp_lock_t lock;
static unsigned long seed = 1;

static unsigned long *mine(void)
{
	return &published[omp_get_thread_num()].what;
}

static void publish(unsigned long step, enum construct construct, enum phase phase)
{
	__atomic_store_n(mine(), step << 12 | construct << 4 | phase, __ATOMIC_SEQ_CST);
}

static void compute(unsigned long random)
{
	if (random % 7 == 0)
		usleep(200);
	for (volatile unsigned long i = 0; i < random % MOST_WORK; i++)
		;
}

static unsigned long mixed(unsigned long step, unsigned long who)
{
	unsigned long x = seed + step * 2654435761UL + who * 40503UL;

	x ^= x >> 13;
	x *= 0x9E3779B97F4A7C15UL;
	return x >> 20;
}

static void hold(unsigned long step, enum construct construct, unsigned long random)
{
	publish(step, construct, HOLDING);
	compute(random);
	publish(step, construct, LEAVING);
}

/* The maker waits for tasks that it or others execute. Whoever does says so, and is then where it was before. */
static void execute(unsigned long step, unsigned long maker, enum construct construct,
		    unsigned long random)
{
	unsigned long before = __atomic_load_n(mine(), __ATOMIC_SEQ_CST);

	__atomic_store_n(mine(), step << 12 | maker << 8 | construct << 4 | HOLDING,
			 __ATOMIC_SEQ_CST);
	compute(random);
	__atomic_store_n(mine(), before, __ATOMIC_SEQ_CST);
}

static void make_tasks(unsigned long step, enum construct construct)
{
	const unsigned long maker = (unsigned long)omp_get_thread_num();

	for (unsigned long i = 0; i < 3; i++) {
#pragma omp task
		execute(step, maker, construct, mixed(step, 100 + i));
	}
	publish(step, construct, MADE);
}

static void arrive(unsigned long step, enum construct construct)
{
	const unsigned long random = mixed(step, 50 + (unsigned long)omp_get_thread_num());

	publish(step, construct, AT);
	switch (construct) {
	case BARRIER: {
#pragma omp barrier
		break;
	}
	case FOR:
#pragma omp for schedule(static, 1)
		for (int i = 0; i < THREADS; i++)
			;
		break;
	case SINGLE:
#pragma omp single
		hold(step, construct, random);
		break;
	case CRITICAL:
#pragma omp critical
		hold(step, construct, random);
		break;
	case LOCK:
		omp_set_lock(&lock);
		hold(step, construct, random);
		omp_unset_lock(&lock);
		break;
	case ORDERED:
#pragma omp for ordered schedule(static, 1) nowait
		for (int i = 0; i < THREADS; i++) {
#pragma omp ordered
			hold(step, construct, random);
		}
		break;
	case TASKWAIT: {
		make_tasks(step, construct);
#pragma omp taskwait
		break;
	}
	case TASKGROUP:
#pragma omp taskgroup
		make_tasks(step, construct);
		break;
	default:
		abort();
	}
}

static void region(unsigned long first)
{
#pragma omp parallel num_threads(THREADS)
	{
		unsigned long step = first;

		published[omp_get_thread_num()].tid = truth_tid();
		for (; step < first + STEPS; step++) {
			const unsigned long who = (unsigned long)omp_get_thread_num();
			const enum construct next = (enum construct)(
				BARRIER + mixed(step, 99) % (REGION_END - BARRIER));

			publish(step, next, WORKING);
			compute(mixed(step, who));
			arrive(step, next);
		}
		publish(step, REGION_END, WORKING);
		compute(mixed(step, (unsigned long)omp_get_thread_num()));
		publish(step, REGION_END, AT);
	}
}

int main(int argc, char **argv)
{
	unsigned long step = 1;

	if (argc > 1)
		seed = strtoul(argv[1], NULL, 10);
	alarm(TRUTH_LIFE_SECONDS);
	omp_init_lock(&lock);
	for (;; step += STEPS + 2) {
		region(step);
		publish(step + STEPS + 1, SERIAL, WORKING);
		compute(mixed(step, 7) * 4);
		publish(step + STEPS + 1, SERIAL, AT);
	}
}
