/* SPDX-License-Identifier: Apache-2.0
 *
 * A wide team whose threads are in a function below the region, at a few places.
 */
#include "truth.h"

static volatile int released;

__attribute__((noinline)) static void hold(int me)
{
	while (me % 2 == 0 && !released)
		usleep(1000);
	while (!released)
		usleep(1000);
}

int main(int argc, char **argv)
{
	const int threads = argc > 1 ? atoi(argv[1]) : 64;
	volatile int lost = 99; /* nothing inside the region names it */

	truth_begin();
#pragma omp parallel num_threads(threads)
	{
		const int me = omp_get_thread_num();

		truth_record();
#pragma omp barrier
		if (me == 0) {
			truth_write();
			stop_here();
		}
		hold(me);
	}
	return lost;
}
