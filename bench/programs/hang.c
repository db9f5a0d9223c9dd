/* SPDX-License-Identifier: Apache-2.0
 *
 * THREADS threads: two hold a lock each and want the other's, half of the rest wants one of them, the others wait
 * in a barrier. An observer calls stop_here() when all are there.
 */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static omp_lock_t first, second;
static int holders, arrived, all;

__attribute__((noinline)) static void stop_here(void)
{
	__asm__ volatile("");
}

static void *observe(void *unused)
{
	while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < all)
		usleep(1000);
	usleep(1000000); /* from the last's arrival to its wait */
	stop_here();
	exit(0);
	return unused;
}

static void take(omp_lock_t *one, omp_lock_t *other)
{
	omp_set_lock(one);
	__atomic_add_fetch(&holders, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&holders, __ATOMIC_SEQ_CST) < 2)
		usleep(1000);
	__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
	omp_set_lock(other);
}

static void join_the_queue(void)
{
	while (__atomic_load_n(&holders, __ATOMIC_SEQ_CST) < 2)
		usleep(1000);
	__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
	omp_set_lock(&first);
	omp_unset_lock(&first);
}

int main(int argc, char **argv)
{
	pthread_t observer;

	all = argc > 1 ? atoi(argv[1]) : 256;
	omp_init_lock(&first);
	omp_init_lock(&second);
	pthread_create(&observer, NULL, observe, NULL);
#pragma omp parallel num_threads(all)
	{
		const int me = omp_get_thread_num();

		if (me == 0)
			take(&first, &second);
		else if (me == 1)
			take(&second, &first);
		else if (me % 2)
			join_the_queue();
		else
			__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
#pragma omp barrier
	}
	return 0;
}
