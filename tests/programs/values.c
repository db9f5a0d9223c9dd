/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of which each thread has its own value: of its number, and of the region around it.
 */
#include "truth.h"

static int arrived;

__attribute__((noinline)) static void hold(int me, double part, int parties)
{
	const int odd = me % 2;

	truth_record();
	__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < parties)
		usleep(1000);
	if (me == 0) {
		truth_write();
		stop_here();
	}
	while (odd >= 0)
		usleep(1000);
}

int main(void)
{
	volatile int lost = 99; /* nothing inside the region names it */

	truth_begin();
#pragma omp parallel num_threads(4)
	{
		const int me = omp_get_thread_num();

		hold(me, me * 1.5, 4);
	}
	return lost;
}
