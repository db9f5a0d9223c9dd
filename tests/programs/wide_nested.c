/* SPDX-License-Identifier: Apache-2.0
 *
 * 10 x 6 x 5 = 300 threads at three levels of nesting.
 * Truth: everything at the innermost level.
 */
#include "truth.h"

int main(void)
{
	omp_set_max_active_levels(8);
	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(10)
	{
		TRUTH_CONSTRUCT(2);
#pragma omp parallel num_threads(6)
		{
			TRUTH_CONSTRUCT(3);
#pragma omp parallel num_threads(5)
			{
				truth_record();
				truth_stop(300);
			}
		}
	}
	return 0;
}
