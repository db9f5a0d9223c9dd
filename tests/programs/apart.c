/* SPDX-License-Identifier: Apache-2.0
 *
 * Thread 0 waits at a barrier, 1 stops, 2 waits for a lock, and 3 holds it: for non-stop mode, where some are looked at
 * and some run.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <unistd.h>

static omp_lock_t lock;
static volatile int taken, wanted, arrived;

static void stop_here(void)
{
	__asm__ volatile("");
}

int main(void)
{
	omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
	{
		switch (omp_get_thread_num()) {
		case 0:
			arrived = 1;
			break;
		case 1:
			while (!(taken && wanted && arrived))
				usleep(1000);
			usleep(200000); /* until they have come where they say that they go */
			stop_here();
			for (;;)
				;
		case 2:
			while (!taken)
				usleep(1000);
			wanted = 1;
			omp_set_lock(&lock);
			break;
		default:
			omp_set_lock(&lock);
			taken = 1;
			for (;;)
				pause();
		}
#pragma omp barrier
	}
	return 0;
}
