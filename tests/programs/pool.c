/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool THREADS SECONDS: a team that works for a moment and then waits for the next one; so long after all its threads were there.
 */
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const int threads = argc > 1 ? atoi(argv[1]) : 8;
	const double seconds = argc > 2 ? atof(argv[2]) : 1e9;
	double end = 0.0;

	do {
#pragma omp parallel num_threads(threads)
		{
			volatile int turns = 0;

			while (turns < 100000)
				turns = turns + 1;
		}
		usleep(20000);
		if (end == 0.0)
			end = omp_get_wtime() + seconds;
	} while (omp_get_wtime() < end);
	return 0;
}
