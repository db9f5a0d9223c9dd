/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of every data-sharing attribute, in a loop whose threads all stop at one line. Their names say
 * what they are.
 */
#include "truth.h"

#define THREADS 4

int shared_global;
static int threadprivate_global;
#pragma omp threadprivate(threadprivate_global)

static int arrived;

__attribute__((noinline)) static void wait_for_all(void)
{
	truth_record();
	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == THREADS) {
		truth_write();
		stop_here();
	}
	for (;;)
		usleep(1000);
}

static void use(int number, const void *one, const void *other)
{
	shared_global += number + (one == other);
}

int main(int argc, char **argv)
{
	int shared_int = argc, private_int = 0, firstprivate_int = 7, reduction_int = 0;
	int lastprivate_int = 0, shared_array[THREADS] = {0}, end = 10 + 3 * THREADS;

	(void)argv;
#pragma omp parallel for num_threads(THREADS) private(private_int) firstprivate(firstprivate_int)  \
	reduction(+ : reduction_int)
	for (int i = 10; i < end; i += 3) {
		const int private_inside = i;
		int *const private_pointer = &shared_array[omp_get_thread_num()];

		private_int = i;
		reduction_int += i;
		threadprivate_global = i;
		shared_int += i;
		use(private_int + firstprivate_int + private_inside, private_pointer, &shared_int);
		wait_for_all();
	}
#pragma omp parallel for num_threads(THREADS) lastprivate(lastprivate_int)
	for (int i = 0; i < end; i++)
		lastprivate_int = i;
	return reduction_int + lastprivate_int;
}
