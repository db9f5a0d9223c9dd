/* SPDX-License-Identifier: Apache-2.0
 *
 * `regions N' passes N parallel regions of four threads.
 */
#include <stdlib.h>

volatile int sink;

int main(int argc, char **argv)
{
	const int regions = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < regions; i++) {
#pragma omp parallel num_threads(4)
		sink = i; /* PLACE inside */
	}
	return 0;
}
