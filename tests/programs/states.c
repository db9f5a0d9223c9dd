/* SPDX-License-Identifier: Apache-2.0
 *
 * Constructs at which threads wait for each other: barriers, locks, turns, tasks.
 */
#include "states.h"

static void barrier_explicit(void)
{
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 2)
			work("work_parallel");
		else
			going_to("wait_barrier_explicit", __LINE__ + 1);
#pragma omp barrier
		truth_seen();
	}
}

static void for_end(void)
{
#pragma omp parallel num_threads(4)
	{
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 4; i++) {
			if (i == 1)
				work("work_parallel");
			else
				going_to("wait_barrier_implicit_workshare", __LINE__ - 5);
		}
		truth_seen();
	}
}

/* The runtime hands out its iterations, and gcc has a call of its own for its end. */
static void dynamic_end(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp for schedule(dynamic, 1)
		for (int i = 0; i < 3; i++) {
			if (i == 1)
				work("work_parallel");
		}
		truth_seen();
	}
}

static void sections_end(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp sections
		{
#pragma omp section
			work("work_parallel");
		}
		truth_seen();
	}
}

static void single_end(void)
{
#pragma omp parallel num_threads(4)
	{
#pragma omp single
		work("work_parallel");
		truth_seen();
	}
}

static void region_end(void)
{
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 3)
			work("work_parallel");
		else
			going_to("wait_barrier_implicit_parallel", 0);
	}
}

static void taskwait(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
#pragma omp task
		work("work_parallel");
		until(&declared, 1);
		going_to("wait_taskwait", __LINE__ + 1);
#pragma omp taskwait
		truth_seen();
	}
}

static void taskgroup(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
#pragma omp taskgroup
		{
#pragma omp task
			work("work_parallel");
			until(&declared, 1);
			going_to("wait_taskgroup", 0);
		}
		truth_seen();
	}
}

static void critical(void)
{
	static int holds;

#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 1) {
#pragma omp critical(update)
			{
				__atomic_store_n(&holds, 1, __ATOMIC_SEQ_CST);
				work("work_parallel");
			}
		} else {
			until(&holds, 1);
			going_to("wait_critical", 0);
#pragma omp critical(update)
			truth_seen();
		}
	}
}

static void lock(void)
{
	static omp_lock_t lock;

	omp_init_lock(&lock);
	omp_set_lock(&lock);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0) {
			work("work_parallel");
			omp_unset_lock(&lock);
		} else {
			going_to("wait_lock", 0);
			omp_set_lock(&lock);
			omp_unset_lock(&lock);
		}
	}
}

static void nest_lock(void)
{
	static omp_nest_lock_t lock;

	omp_init_nest_lock(&lock);
	omp_set_nest_lock(&lock);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0) {
			work("work_parallel");
			omp_unset_nest_lock(&lock);
		} else {
			going_to("wait_lock", 0);
			omp_set_nest_lock(&lock);
			omp_unset_nest_lock(&lock);
		}
	}
}

/* Constructs that no instruction of the processor does: the runtime has locks for them. clang's code calls other
 * libraries instead, so these calls of other compilers' code are written out. */
#ifdef __clang__
#define ATOMIC_START __kmpc_atomic_start
#define ATOMIC_END __kmpc_atomic_end
#else
#define ATOMIC_START GOMP_atomic_start
#define ATOMIC_END GOMP_atomic_end
#endif
void ATOMIC_START(void);
void ATOMIC_END(void);

static int atomic_held;

static void atomic(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1) {
			ATOMIC_START();
			__atomic_store_n(&atomic_held, 1, __ATOMIC_SEQ_CST);
			work("work_parallel");
		} else {
			until(&atomic_held, 1);
			going_to("wait_atomic", __LINE__ + 1);
			ATOMIC_START();
		}
		ATOMIC_END();
	}
}

#ifdef __clang__
int __kmpc_global_thread_num(void *location);
void __kmpc_atomic_32(void *location, int thread, void *left, void *right,
		      void (*combine)(void *, void *, void *));

static void add(void *result, void *left, void *right)
{
	*(double *)result = *(double *)left + *(double *)right;
	if (!__atomic_exchange_n(&atomic_held, 1, __ATOMIC_SEQ_CST))
		work("work_parallel");
}

static void atomic_generic(void)
{
#pragma omp parallel num_threads(3)
	{
		double left[4] = {0}, right[4] = {0};

		if (omp_get_thread_num() != 2) {
			until(&atomic_held, 1);
			going_to("wait_atomic", __LINE__ + 2);
		}
		__kmpc_atomic_32(NULL, __kmpc_global_thread_num(NULL), left, right, add);
	}
}
#endif

static void ordered(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(3)
	for (int i = 0; i < 3; i++) {
		if (i > 0)
			going_to("wait_ordered", 0);
#pragma omp ordered
		if (i == 0)
			work_after(2);
	}
}

static void doacross(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(3)
	for (int i = 0; i < 3; i++) {
		if (i > 0)
			going_to("wait_ordered", 0);
#pragma omp ordered depend(sink : i - 1)
		if (i == 0)
			work_after(2);
#pragma omp ordered depend(source)
	}
}

static void idle(void)
{
#pragma omp parallel num_threads(4)
	truth_seen();
#pragma omp parallel num_threads(2)
	work("work_parallel");
}

static void serial(void)
{
#pragma omp parallel num_threads(3)
	truth_seen();
	work("work_serial");
}

static void serialized(void)
{
#pragma omp parallel if (0)
#pragma omp parallel if (0)
	work("work_parallel");
}

static void nested(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp parallel num_threads(2)
			{
				if (omp_get_thread_num() == 1)
					work("work_parallel");
				else
					going_to("wait_barrier_implicit_parallel", 0);
			}
		} else {
			going_to("wait_barrier_implicit_parallel", 0);
		}
	}
}

static void task_in_barrier(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single nowait
		{
#pragma omp task
			work("work_parallel");
#pragma omp task
			work("work_parallel");
		}
#pragma omp barrier
		truth_seen();
	}
}

static void reduction(void)
{
	double sum = 0;

#pragma omp parallel num_threads(3)
	{
#pragma omp for schedule(static, 1) reduction(+ : sum)
		for (int i = 0; i < 3; i++) {
			sum += i;
			if (i == 1)
				work("work_parallel");
			else
				going_to("wait_barrier_implementation", 0);
		}
		truth_seen();
	}
}

/* Two threads take two locks in different orders, the third waits for them: an error of the program. */
static void deadlock(void)
{
	static omp_lock_t first, second;
	static int held;

	omp_init_lock(&first);
	omp_init_lock(&second);
#pragma omp parallel num_threads(3)
	{
		const int me = omp_get_thread_num();

		if (me < 2) {
			omp_set_lock(me ? &second : &first);
			__atomic_add_fetch(&held, 1, __ATOMIC_SEQ_CST);
			until(&held, 2);
			going_to("wait_lock", 0);
			if (me)
				omp_set_lock(&first);
			else
				omp_set_lock(&second);
		} else {
			going_to("wait_barrier_explicit", __LINE__ + 2);
		}
#pragma omp barrier
	}
}

/* An error of the program: it never ends. */
static void diverging(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0) {
			going_to("wait_barrier_explicit", __LINE__ + 1);
#pragma omp barrier
		} else {
			going_to("wait_barrier_implicit_parallel", 0);
		}
	}
}

static const struct scenario scenarios[] = {
	{"barrier_explicit", barrier_explicit, 4},
	{"for_end", for_end, 4},
	{"dynamic_end", dynamic_end, 1},
	{"sections_end", sections_end, 1},
	{"single_end", single_end, 1},
	{"region_end", region_end, 4},
	{"taskwait", taskwait, 2},
	{"taskgroup", taskgroup, 2},
	{"critical", critical, 4},
	{"lock", lock, 3},
	{"nest_lock", nest_lock, 3},
	{"atomic", atomic, 3},
#ifdef __clang__
	{"atomic_generic", atomic_generic, 3},
#endif
	{"ordered", ordered, 3},
	{"doacross", doacross, 3},
	{"idle", idle, 2},
	{"serial", serial, 1},
	{"serialized", serialized, 1},
	{"nested", nested, 3},
	{"task_in_barrier", task_in_barrier, 2},
	{"reduction", reduction, 3},
	{"deadlock", deadlock, 3},
	{"diverging", diverging, 3},
};

int main(int argc, char **argv)
{
	return RUN_SCENARIO(scenarios, argc, argv);
}
