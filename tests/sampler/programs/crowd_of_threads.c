/* SPDX-License-Identifier: Apache-2.0
 *
 * crowd_of_threads COUNT SECONDS: so many threads of one team, all at work.
 */
#include <omp.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 4;
	double end = omp_get_wtime() + (argc > 2 ? atof(argv[2]) : 1);

#pragma omp parallel num_threads(count)
	{
		volatile long turns = 0;

		while (omp_get_wtime() < end)
			for (int i = 0; i < 10000; i++)
				turns = turns + 1;
	}
	return 0;
}
