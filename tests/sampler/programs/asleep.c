/* SPDX-License-Identifier: Apache-2.0
 *
 * asleep COUNT: so many threads of a team, of which the first sleeps for ever, and the others wait for it at a barrier. They
 * sleep, too, if who waits does (OMP_WAIT_POLICY=passive).
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const int count = argc > 1 ? atoi(argv[1]) : 4;

#pragma omp parallel num_threads(count)
	{
		if (omp_get_thread_num() == 0) {
			puts("asleep");
			fflush(stdout);
			for (;;)
				pause();
		}
#pragma omp barrier
	}
	return 0;
}
