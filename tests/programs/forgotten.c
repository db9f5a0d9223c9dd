/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks that stay set, and twins of such programs, in which somebody will give them up. The scenario is named by the first
 * argument; an observer that is no thread of OpenMP's stops it when all have declared themselves.
 * Truth: as in waits.h.
 */
#include "waits.h"

static omp_lock_t lock_a, lock_b, lock_c, lock_d;

static __attribute__((noinline)) int update(int value)
{
	omp_set_lock(&lock_a);
	if (value < 0)
		return 0; /* and the lock stays set */
	__asm__ volatile("" : "+r"(value));
	omp_unset_lock(&lock_a);
	return value;
}

static void forgotten(void)
{
	static int left;

#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1) {
			update(-1);
			__atomic_store_n(&left, 1, __ATOMIC_SEQ_CST);
			declare();
		} else {
			until(&left, 1);
			tell("wants", "lock_a");
			declare();
			update(1);
			truth_seen();
		}
	}
}

/* In a region before, by a thread that works on. */
static void forgotten_before(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0)
		update(-1);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			work_on();
		} else {
			tell("wants", "lock_a");
			declare();
			update(1);
			truth_seen();
		}
	}
}

static __attribute__((noinline)) void close_gate(void)
{
	omp_set_lock(&lock_b);
	tell("holds", "lock_b");
}

static __attribute__((noinline)) void open_gate(void)
{
	omp_unset_lock(&lock_b);
}

static void pass_gate(void)
{
	tell("wants", "lock_b");
	declare();
	omp_set_lock(&lock_b);
	truth_seen();
	omp_unset_lock(&lock_b);
}

/* Taken and given up by functions that have returned, or will be called. */
static void gate(void)
{
	static int closed;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			close_gate();
			__atomic_store_n(&closed, 1, __ATOMIC_SEQ_CST);
			work_on();
			open_gate();
		} else {
			until(&closed, 1);
			pass_gate();
		}
	}
}

/* Opened by another: not what OpenMP has locks for, and yet it works. */
static void gate_of_others(void)
{
	static int closed;

#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1) {
			close_gate();
			__atomic_store_n(&closed, 1, __ATOMIC_SEQ_CST);
			declare();
		} else if (omp_get_thread_num() == 2) {
			until(&closed, 1);
			work_on();
			open_gate();
		} else {
			until(&closed, 1);
			pass_gate();
		}
	}
}

/* Held in a loop that is left with it. */
static void kept_by_a_loop(void)
{
	static int held;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			for (int i = 0;; i++) {
				omp_set_lock(&lock_d);
				if (i == 3)
					break;
				omp_unset_lock(&lock_d);
			}
			tell("holds", "lock_d");
			__atomic_store_n(&held, 1, __ATOMIC_SEQ_CST);
			work_on();
			omp_unset_lock(&lock_d);
		} else {
			until(&held, 1);
			tell("wants", "lock_d");
			declare();
			omp_set_lock(&lock_d);
			truth_seen();
			omp_unset_lock(&lock_d);
		}
	}
}

/* Held by a task that can be put aside: it is on no stack then. */
static void untied(void)
{
	static int held, inner;

#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
#pragma omp task untied
		{
			omp_set_lock(&lock_c);
			tell("holds", "lock_c");
			__atomic_store_n(&held, 1, __ATOMIC_SEQ_CST);
#pragma omp task
			{
				__atomic_store_n(&inner, 1, __ATOMIC_SEQ_CST);
				declare_in("explicit");
				stay();
			}
#pragma omp taskwait
			omp_unset_lock(&lock_c);
		}
		until(&inner, 1);
		tell("wants", "lock_c");
		declare();
		omp_set_lock(&lock_c);
		truth_seen();
		omp_unset_lock(&lock_c);
	}
}

static const struct scenario scenarios[] = {
	{"forgotten", forgotten, 3},
	{"forgotten_before", forgotten_before, 2},
	{"gate", gate, 2},
	{"gate_of_others", gate_of_others, 3},
	{"kept_by_a_loop", kept_by_a_loop, 2},
	{"untied", untied, 2},
};

int main(int argc, char **argv)
{
	omp_init_lock(&lock_a);
	omp_init_lock(&lock_b);
	omp_init_lock(&lock_c);
	omp_init_lock(&lock_d);
	return RUN_SCENARIO(scenarios, argc, argv);
}
