/* SPDX-License-Identifier: Apache-2.0
 *
 * A team of two, one of which waits for a deferred target task: libomp starts hidden helper threads, and one of
 * them executes it.
 * Truth: the two in the region; whoever else there is, is a hidden helper.
 */
#include "truth.h"

int main(void)
{
	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(2)
	{
#pragma omp single nowait
		{
#pragma omp target nowait
			while (!__atomic_load_n(&truth_released, __ATOMIC_SEQ_CST))
				usleep(10000);
		}
		truth_record();
		truth_stop(2);
	}
	return 0;
}
