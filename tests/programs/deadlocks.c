/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs that hang, and their innocent twins, which only wait. The scenario is named by the first argument; an
 * observer that is no thread of OpenMP's stops it when all have declared themselves.
 * Truth: as in waits.h.
 */
#include "waits.h"

/* ---- Locks --------------------------------------------------------------------------------------- */

static omp_lock_t lock_a, lock_b, lock_c;
static omp_nest_lock_t nest_a, nest_b;

static void inversion2(void)
{
	static int both;

#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0) {
			omp_set_lock(&lock_a);
			tell("holds", "lock_a");
			meet(&both, 2);
			tell("wants", "lock_b");
			declare();
			omp_set_lock(&lock_b);
			truth_seen();
			omp_unset_lock(&lock_b);
			omp_unset_lock(&lock_a);
		} else if (omp_get_thread_num() == 1) {
			omp_set_lock(&lock_b);
			tell("holds", "lock_b");
			meet(&both, 2);
			tell("wants", "lock_a");
			declare();
			omp_set_lock(&lock_a);
			truth_seen();
			omp_unset_lock(&lock_a);
			omp_unset_lock(&lock_b);
		} else {
			declare();
		}
	}
}

/* The same order in both, and the first works on. */
static void order2(void)
{
	static int held;

#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0) {
			omp_set_lock(&lock_a);
			tell("holds", "lock_a");
			omp_set_lock(&lock_b);
			tell("holds", "lock_b");
			__atomic_store_n(&held, 1, __ATOMIC_SEQ_CST);
			work_on();
			omp_unset_lock(&lock_b);
			omp_unset_lock(&lock_a);
		} else if (omp_get_thread_num() == 1) {
			until(&held, 1);
			tell("wants", "lock_a");
			declare();
			omp_set_lock(&lock_a);
			truth_seen();
			omp_set_lock(&lock_b);
			truth_seen();
			omp_unset_lock(&lock_b);
			omp_unset_lock(&lock_a);
		} else {
			declare();
		}
	}
}

static void take_two(omp_lock_t *first, omp_lock_t *second, const char *one, const char *other)
{
	static int all;

	omp_set_lock(first);
	tell("holds", one);
	meet(&all, 3);
	tell("wants", other);
	declare();
	omp_set_lock(second);
	truth_seen();
	omp_unset_lock(second);
	omp_unset_lock(first);
}

static void inversion3(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0)
			take_two(&lock_a, &lock_b, "lock_a", "lock_b");
		else if (omp_get_thread_num() == 1)
			take_two(&lock_b, &lock_c, "lock_b", "lock_c");
		else
			take_two(&lock_c, &lock_a, "lock_c", "lock_a");
	}
}

static void inversion_nest(void)
{
	static int both;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			omp_set_nest_lock(&nest_a);
			omp_set_nest_lock(&nest_a);
			tell("holds", "nest_a");
			meet(&both, 2);
			tell("wants", "nest_b");
			declare();
			omp_set_nest_lock(&nest_b);
			truth_seen();
		} else {
			omp_set_nest_lock(&nest_b);
			tell("holds", "nest_b");
			meet(&both, 2);
			tell("wants", "nest_a");
			declare();
			omp_set_nest_lock(&nest_a);
			truth_seen();
		}
	}
}

static void twice(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			omp_set_lock(&lock_a);
			tell("holds", "lock_a");
			tell("wants", "lock_a");
			declare();
			omp_set_lock(&lock_a);
			truth_seen();
		} else {
			declare();
		}
	}
}

/* ---- Critical constructs ------------------------------------------------------------------------- */

static void inversion_critical(void)
{
	static int both;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp critical(left)
			{
				tell("holds", "left");
				meet(&both, 2);
				tell("wants", "right");
				declare();
#pragma omp critical(right)
				truth_seen();
			}
		} else {
#pragma omp critical(right)
			{
				tell("holds", "right");
				meet(&both, 2);
				tell("wants", "left");
				declare();
#pragma omp critical(left)
				truth_seen();
			}
		}
	}
}

static void order_critical(void)
{
	static int held;

#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp critical(left)
			{
				tell("holds", "left");
#pragma omp critical(right)
				{
					tell("holds", "right");
					__atomic_store_n(&held, 1, __ATOMIC_SEQ_CST);
					work_on();
				}
			}
		} else {
			until(&held, 1);
			tell("wants", "right");
			declare();
#pragma omp critical(right)
			truth_seen();
		}
	}
}

static __attribute__((noinline)) void enter_again(void)
{
	tell("wants", "left");
	declare();
#pragma omp critical(left)
	truth_seen();
}

static void critical_twice(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
#pragma omp critical(left)
			{
				tell("holds", "left");
				enter_again();
				truth_seen();
			}
		} else {
			declare();
		}
	}
}

/* ---- Locks and barriers -------------------------------------------------------------------------- */

static void lock_and_barrier(void)
{
	static int held;

#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1) {
			omp_set_lock(&lock_a);
			tell("holds", "lock_a");
			__atomic_store_n(&held, 1, __ATOMIC_SEQ_CST);
			declare();
#pragma omp barrier
			truth_seen();
			omp_unset_lock(&lock_a);
		} else {
			until(&held, 1);
			if (omp_get_thread_num() == 2) {
				tell("wants", "lock_a");
				declare();
				omp_set_lock(&lock_a);
				truth_seen();
				omp_unset_lock(&lock_a);
			} else {
				declare();
			}
#pragma omp barrier
			truth_seen();
		}
	}
}

/* The holder works on, and comes to the barrier when it is done. */
static void lock_before_barrier(void)
{
	static int held;

#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1) {
			omp_set_lock(&lock_a);
			tell("holds", "lock_a");
			__atomic_store_n(&held, 1, __ATOMIC_SEQ_CST);
			work_on();
			omp_unset_lock(&lock_a);
		} else {
			until(&held, 1);
			if (omp_get_thread_num() == 2) {
				tell("wants", "lock_a");
				declare();
				omp_set_lock(&lock_a);
				truth_seen();
				omp_unset_lock(&lock_a);
			} else {
				declare();
			}
		}
#pragma omp barrier
		truth_seen();
	}
}

/* ---- Tasks --------------------------------------------------------------------------------------- */

/* The child is executed by the other thread, and wants what its parent holds. */
static void ancestors_lock(void)
{
	static int begun;

#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
		omp_set_lock(&lock_a);
		tell("holds", "lock_a");
#pragma omp task
		{
			__atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
			tell("wants", "lock_a");
			declare_in("explicit");
			omp_set_lock(&lock_a);
			truth_seen();
			omp_unset_lock(&lock_a);
		}
		until(&begun, 1);
		declare();
#pragma omp taskwait
		truth_seen();
		omp_unset_lock(&lock_a);
	}
}

static void childs_work(void)
{
	static int begun;

#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
#pragma omp task
		{
			__atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
			omp_set_lock(&lock_a);
			tell("holds", "lock_a");
			declare_in("explicit");
			stay();
			omp_unset_lock(&lock_a);
		}
		until(&begun, 1);
		declare();
#pragma omp taskwait
		truth_seen();
	}
}

/* The second task depends on the first, which wants what is held by whoever waits for the second. */
static void dependence(void)
{
	static int begun, order;

#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
		omp_set_lock(&lock_a);
		tell("holds", "lock_a");
#pragma omp taskgroup
		{
#pragma omp task depend(out : order)
			{
				order = 1;
				__atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
				tell("wants", "lock_a");
				declare_in("explicit");
				omp_set_lock(&lock_a);
				truth_seen();
				omp_unset_lock(&lock_a);
			}
#pragma omp task depend(in : order)
			truth_seen();
			until(&begun, 1);
			declare();
		}
		omp_unset_lock(&lock_a);
	}
}

static const struct scenario scenarios[] = {
	{"inversion2", inversion2, 3},
	{"order2", order2, 3},
	{"inversion3", inversion3, 3},
	{"inversion_nest", inversion_nest, 2},
	{"twice", twice, 2},
	{"inversion_critical", inversion_critical, 2},
	{"order_critical", order_critical, 2},
	{"critical_twice", critical_twice, 2},
	{"lock_and_barrier", lock_and_barrier, 3},
	{"lock_before_barrier", lock_before_barrier, 3},
	{"ancestors_lock", ancestors_lock, 2},
	{"childs_work", childs_work, 2},
	{"dependence", dependence, 2},
};

int main(int argc, char **argv)
{
	omp_init_lock(&lock_a);
	omp_init_lock(&lock_b);
	omp_init_lock(&lock_c);
	omp_init_nest_lock(&nest_a);
	omp_init_nest_lock(&nest_b);
	return RUN_SCENARIO(scenarios, argc, argv);
}
