/* SPDX-License-Identifier: Apache-2.0
 *
 * Inner regions ask for four threads and get one, because max-active-levels-var is 1.
 * Truth: everything at the innermost level.
 */
#include "truth.h"

int main(void)
{
	omp_set_max_active_levels(1);
	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(3)
	{
		TRUTH_CONSTRUCT(2);
#pragma omp parallel num_threads(4)
		{
			truth_record();
			truth_stop(3);
		}
	}
	return 0;
}
