/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holders SEED ROUNDS [THREADS]: four threads, or so many, take a critical construct, a lock or one of two locks of an array, by chance, and each
 * writes down when it wanted it, had it, and gave it up: "lock thread wanted got released", by the monotonic clock.
 * The last thread has them ten times as long, in a function of its own. The first line is the lock's address. NESTED:
 * the locks are nested ones.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS_MOST = 4, LOCKS = 4, MOST = 4096 };

#ifdef NESTED
typedef omp_nest_lock_t lock_type;
#define init omp_init_nest_lock
#define set omp_set_nest_lock
#define unset omp_unset_nest_lock
#else
typedef omp_lock_t lock_type;
#define init omp_init_lock
#define set omp_set_lock
#define unset omp_unset_lock
#endif

static int threads = THREADS_MOST;
static lock_type one;
static lock_type several[2];
static volatile double sink;

static struct {
	int lock;
	long long wanted, got, released;
} log_of[THREADS_MOST][MOST];

static long long now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000000LL + at.tv_nsec;
}

static void work(long long ns)
{
	long long end = now() + ns;

	while (now() < end)
		sink = sink + 1;
}

__attribute__((noinline)) static void hold_long(void)
{
	work(20000000);
	sink = sink + 1;
}

__attribute__((noinline)) static void hold_short(void)
{
	work(2000000);
	sink = sink + 1;
}

static long long hold(int thread)
{
	long long got = now();

	if (thread == threads - 1)
		hold_long();
	else
		hold_short();
	return got;
}

static long long take(int lock, int thread)
{
	long long got = 0;

	switch (lock) {
	case 0:
#pragma omp critical(ledger) /* CRITICAL */
		got = hold(thread);
		break;
	case 1:
		set(&one); /* LOCK */
		got = hold(thread);
		unset(&one);
		break;
	default:
		set(&several[lock - 2]); /* ARRAY */
		got = hold(thread);
		unset(&several[lock - 2]);
	}
	return got;
}

int main(int argc, char **argv)
{
	unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	int rounds = argc > 2 ? atoi(argv[2]) : 100;

	if (argc > 3)
		threads = atoi(argv[3]);
	if (rounds > MOST || threads > THREADS_MOST)
		return 1;
	init(&one);
	for (int i = 0; i < 2; i++)
		init(&several[i]);
#pragma omp parallel num_threads(threads)
	{
		int thread = omp_get_thread_num();
		unsigned drawn = seed * THREADS_MOST + (unsigned)thread;

		for (int i = 0; i < rounds; i++) {
			/* The same for some time: a lock that others want is handed on. */
			int lock = i * LOCKS / rounds;

			work(rand_r(&drawn) % 1000000);
			log_of[thread][i].lock = lock;
			log_of[thread][i].wanted = now();
			log_of[thread][i].got = take(lock, thread);
			log_of[thread][i].released = now();
		}
	}
	printf("%p\n", (void *)&one);
	for (int thread = 0; thread < threads; thread++)
		for (int i = 0; i < rounds; i++)
			printf("%d %d %lld %lld %lld\n", log_of[thread][i].lock, thread,
			       log_of[thread][i].wanted, log_of[thread][i].got,
			       log_of[thread][i].released);
	return 0;
}
