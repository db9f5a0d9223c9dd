/* SPDX-License-Identifier: Apache-2.0
 *
 * One team of as many threads as the argument says.
 * Truth: everything in the region.
 */
#include "truth.h"

int main(int argc, char **argv)
{
	const int threads = argc > 1 ? atoi(argv[1]) : 70;

	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(threads)
	{
		truth_record();
		truth_stop(threads);
	}
	return 0;
}
