/* SPDX-License-Identifier: Apache-2.0
 *
 * league SECONDS: a teams region on the host, with parallel regions inside of it, whose call is not its last.
 */
#include <omp.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	double end = omp_get_wtime() + (argc > 1 ? atof(argv[1]) : 1);

	while (omp_get_wtime() < end) {
#pragma omp teams num_teams(2) thread_limit(2)
		{
			for (volatile int i = 0; i < 1000000; i++)
				;
#pragma omp parallel num_threads(2)
			for (volatile int i = 0; i < 1000000; i++)
				;
			for (volatile int i = 0; i < 1000; i++)
				;
		}
	}
	return 0;
}
