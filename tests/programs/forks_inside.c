/* SPDX-License-Identifier: Apache-2.0
 *
 * Regions that begin inside of a region, by its own code and by a function that it calls: `forks_inside OWN|CALLED'.
 */
#include <omp.h>
#include <string.h>

static volatile int sink;

__attribute__((noinline)) static void called(void)
{
#pragma omp parallel num_threads(2)
	sink = omp_get_level();
}

int main(int argc, char **argv)
{
	const int own = argc > 1 && !strcmp(argv[1], "own");

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		if (!own) {
			called();
		} else {
#pragma omp parallel num_threads(2)
			sink = omp_get_level();
		}
	}
	return 0;
}
