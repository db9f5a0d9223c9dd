/* SPDX-License-Identifier: Apache-2.0
 *
 * As many threads as the argument says, all but the last waiting in a barrier.
 * Truth: everything in the region, and the state: the last works, the others are in an explicit barrier.
 */
#include "truth.h"

int main(int argc, char **argv)
{
	const int threads = argc > 1 ? atoi(argv[1]) : 4;

	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(threads)
	{
		truth_record();
		if (omp_get_thread_num() == threads - 1) {
			while (__atomic_load_n(&truth_recorded, __ATOMIC_SEQ_CST) < threads)
				usleep(1000);
			settle();
			truth_stop(threads);
		}
#pragma omp barrier
	}
	return 0;
}
