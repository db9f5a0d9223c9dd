/* SPDX-License-Identifier: Apache-2.0
 *
 * Why does a barrier not open? Thread 0 waits there, each of the others is in a call that OpenMP knows nothing of,
 * one is in a region inside, and one waits in OpenMP for something else. It does not end by itself.
 */
#include "states.h"
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int lock_is_set;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void wait_for_signal(void)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&own);
	going_into("pthread_cond_wait", "work_parallel", __LINE__ + 1);
	pthread_cond_wait(&never, &own);
}

static void wait_for_mutex(void)
{
	going_into("pthread_mutex_lock", "work_parallel", __LINE__ + 1);
	pthread_mutex_lock(&mutex);
}

static void read_nothing(int from)
{
	char byte;

	going_into("read", "work_parallel", __LINE__ + 1);
	if (read(from, &byte, 1) < 0)
		abort();
}

static void poll_nothing(int from)
{
	struct pollfd one = {.fd = from, .events = POLLIN};

	going_into("poll", "work_parallel", __LINE__ + 1);
	poll(&one, 1, -1);
}

static void sleep_long(void)
{
	going_into("sleep", "work_parallel", __LINE__ + 1);
	sleep(TRUTH_LIFE_SECONDS);
}

static void wait_in_kernel(void)
{
	int word = 0;

	going_into("syscall", "work_parallel", __LINE__ + 1);
	syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void compute(omp_lock_t *lock)
{
	omp_set_lock(lock);
	__atomic_store_n(&lock_is_set, 1, __ATOMIC_SEQ_CST);
	going_into("-", "work_parallel", 0);
	while (!__atomic_load_n(&truth_released, __ATOMIC_SEQ_CST))
		;
}

static void missing(void)
{
	int pipes[2];
	omp_lock_t lock;

	if (pipe(pipes) != 0)
		abort();
	omp_init_lock(&lock);
	pthread_mutex_lock(&mutex);
#pragma omp parallel num_threads(9)
	{
		switch (omp_get_thread_num()) {
		case 0:
			going_to("wait_barrier_explicit", __LINE__ + 29);
			break;
		case 1:
			wait_for_signal();
			break;
		case 2:
			wait_for_mutex();
			break;
		case 3:
			read_nothing(pipes[0]);
			break;
		case 4:
			poll_nothing(pipes[0]);
			break;
		case 5:
			sleep_long();
			break;
		case 6:
			wait_in_kernel();
			break;
		case 7:
			compute(&lock);
			break;
		case 8:
			until(&lock_is_set, 1);
			going_to("wait_lock", 0);
			omp_set_lock(&lock);
			break;
		}
#pragma omp barrier
	}
}

/* Who has the critical reads a line that nobody writes; nothing but the stack tells that it waits. */
static void line(void)
{
	int pipes[2], has_it = 0;
	FILE *lines = pipe(pipes) == 0 ? fdopen(pipes[0], "r") : NULL;
	char text[16];

	if (lines == NULL)
		abort();
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() != 1) {
			until(&has_it, 1);
			going_to("wait_critical", 0);
		}
#pragma omp critical(terminal)
		{
			__atomic_store_n(&has_it, 1, __ATOMIC_SEQ_CST);
			going_into("fgets", "work_parallel", __LINE__ + 1);
			if (fgets(text, sizeof(text), lines) == NULL)
				abort();
		}
	}
}

static const struct scenario scenarios[] = {
	{"missing", missing, 9},
	{"line", line, 3},
};

int main(int argc, char **argv)
{
	return RUN_SCENARIO(scenarios, argc, argv);
}
