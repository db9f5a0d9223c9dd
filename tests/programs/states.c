/* SPDX-License-Identifier: Apache-2.0
 *
 * One scenario, named by the first argument: each thread declares what it is about to do and stays there, until
 * an observer that is no thread of OpenMP's stops the program.
 * Truth, in OMPD_TRUTH_FILE.states: a line "TID STATE LINE" for each thread, STATE by its OMPT name, LINE of the
 * construct that it waits for, or 0.
 */
#include "truth.h"

static int declared, expected;

/* What the calling thread is going to do next. */
static void going_to(const char *state, int line)
{
	char path[4096];
	FILE *file;

	pthread_mutex_lock(&truth_lock);
	snprintf(path, sizeof(path), "%s.states", getenv("OMPD_TRUTH_FILE"));
	file = fopen(path, "a");
	if (!file)
		abort();
	fprintf(file, "%ld %s %d\n", truth_tid(), state, line);
	fclose(file);
	pthread_mutex_unlock(&truth_lock);
	__atomic_add_fetch(&declared, 1, __ATOMIC_SEQ_CST);
}

static void stay(void)
{
	while (!__atomic_load_n(&truth_released, __ATOMIC_SEQ_CST))
		usleep(1000);
}

static void work(const char *state)
{
	going_to(state, 0);
	stay();
}

/* The last of `others' that declares itself is the one to begin: it holds what they wait for. */
static void work_after(int others)
{
	while (__atomic_load_n(&declared, __ATOMIC_SEQ_CST) < others)
		usleep(1000);
	work("work_parallel");
}

static void *observe(void *unused)
{
	while (__atomic_load_n(&declared, __ATOMIC_SEQ_CST) < expected)
		usleep(1000);
	usleep(200000); /* from a declaration to the wait */
	truth_write();
	stop_here();
	__atomic_store_n(&truth_released, 1, __ATOMIC_SEQ_CST);
	return unused;
}

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
		while (__atomic_load_n(&declared, __ATOMIC_SEQ_CST) == 0)
			usleep(1000);
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
			while (__atomic_load_n(&declared, __ATOMIC_SEQ_CST) == 0)
				usleep(1000);
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
			while (!__atomic_load_n(&holds, __ATOMIC_SEQ_CST))
				usleep(1000);
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
			while (__atomic_load_n(&held, __ATOMIC_SEQ_CST) < 2)
				usleep(1000);
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

static const struct scenario {
	const char *name;
	void (*run)(void);
	int threads; /* that declare themselves */
} scenarios[] = {
	{"barrier_explicit", barrier_explicit, 4},
	{"for_end", for_end, 4},
	{"sections_end", sections_end, 1},
	{"single_end", single_end, 1},
	{"region_end", region_end, 4},
	{"taskwait", taskwait, 2},
	{"taskgroup", taskgroup, 2},
	{"critical", critical, 4},
	{"lock", lock, 3},
	{"nest_lock", nest_lock, 3},
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
	pthread_t observer;

	for (size_t i = 0; argc > 1 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (strcmp(scenarios[i].name, argv[1]) != 0)
			continue;
		expected = scenarios[i].threads;
		pthread_create(&observer, NULL, observe, NULL);
		scenarios[i].run();
		pthread_join(observer, NULL);
		return 0;
	}
	fprintf(stderr, "which scenario?\n");
	return 2;
}
