/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks of every kind, and those who wait for them. Of two threads one makes the tasks and waits, the other
 * executes one of them.
 */
#include "states.h"

static int begun;

/* In a task: from now on its thread does nothing else. */
static void execute(void)
{
	__atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
	work("work_parallel");
}

static void taskloop(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
		const int maker = omp_get_thread_num();

#pragma omp taskloop grainsize(1)
		for (int i = 0; i < 2; i++) {
			if (omp_get_thread_num() != maker)
				execute();
			until(&begun, 1);
			if (omp_get_thread_num() == maker)
				going_to("wait_taskgroup", 0);
		}
		truth_seen();
	}
}

/* The one that is urgent is done first, though it is made last. */
static void priorities(void)
{
	static int made;

#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
		const int maker = omp_get_thread_num();

#pragma omp task
		if (omp_get_thread_num() == maker)
			truth_seen();
		else
			until(&made, 1);
#pragma omp task priority(5)
		execute();
		__atomic_store_n(&made, 1, __ATOMIC_SEQ_CST);
		until(&begun, 1);
		going_to("wait_taskwait", __LINE__ + 1);
#pragma omp taskwait
		truth_seen();
	}
}

static void untied(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
#pragma omp task untied
		execute();
		until(&begun, 1);
		going_to("wait_taskwait", __LINE__ + 1);
#pragma omp taskwait
		truth_seen();
	}
}

/* With gcc it needs a newer libgomp than LLVM's runtime stands in for. */
#ifdef __clang__
/* Its code has come to its end; it is complete when another thread says so. */
static void detached(void)
{
	omp_event_handle_t event = 0;

#pragma omp parallel num_threads(2) shared(event)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp task detach(event)
			__atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
			going_to("wait_taskwait", __LINE__ + 1);
#pragma omp taskwait
			truth_seen();
		} else {
			until(&begun, 1);
			work("work_parallel");
			omp_fulfill_event(event);
		}
	}
}
#endif

/* The maker executes the task itself, and has to wait for what the task depends on. */
static void undeferred(void)
{
	int data __attribute__((unused)) = 0;

#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
#pragma omp task depend(out : data)
		execute();
		until(&begun, 1);
		going_to("wait_taskwait", 0);
#pragma omp task if (0) depend(in : data)
		truth_seen();
	}
}

#if !defined(__clang__) || __clang_major__ >= 16
static void taskwait_depend(void)
{
	int data __attribute__((unused)) = 0;

#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
#pragma omp task depend(out : data)
		execute();
		until(&begun, 1);
		going_to("wait_taskwait", 0);
#pragma omp taskwait depend(in : data)
		truth_seen();
	}
}
#endif

/* A task that is not deferred, in a final one. */
static void included(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
#pragma omp task final(1)
#pragma omp task
	work("work_parallel");
}

/* A thread in a taskwait executes another task: it is at work. */
static void task_in_taskwait(void)
{
	static int made;

#pragma omp parallel num_threads(2)
#pragma omp single nowait
	{
#pragma omp task
		execute();
		until(&begun, 1);
#pragma omp task
		work("work_parallel");
		__atomic_store_n(&made, 1, __ATOMIC_SEQ_CST);
#pragma omp taskwait
		truth_seen();
	}
}

static const struct scenario scenarios[] = {
	{"taskloop", taskloop, 2},
	{"priorities", priorities, 2},
	{"untied", untied, 2},
#ifdef __clang__
	{"detached", detached, 2},
#endif
	{"undeferred", undeferred, 2},
#if !defined(__clang__) || __clang_major__ >= 16
	{"taskwait_depend", taskwait_depend, 2},
#endif
	{"included", included, 1},
	{"task_in_taskwait", task_in_taskwait, 2},
};

int main(int argc, char **argv)
{
	setenv("OMP_MAX_TASK_PRIORITY", "5", 0);
	return RUN_SCENARIO(scenarios, argc, argv);
}
