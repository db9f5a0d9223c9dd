/* SPDX-License-Identifier: Apache-2.0
 *
 * The outermost regions are serialized: the initial thread has left its own region without a team.
 * Truth: everything at the innermost level; of its four threads only two are in a further serialized region.
 */
#include "truth.h"

int main(void)
{
	omp_set_max_active_levels(8);
	TRUTH_CONSTRUCT(1);
#pragma omp parallel if (0)
	{
		TRUTH_CONSTRUCT(2);
#pragma omp parallel num_threads(1)
		{
			TRUTH_CONSTRUCT(3);
#pragma omp parallel num_threads(4)
			if (omp_get_thread_num() % 2 == 0) {
				truth_record();
				truth_stop(4);
			} else {
				TRUTH_CONSTRUCT(4);
#pragma omp parallel if (0)
				{
					truth_record();
					truth_stop(4);
				}
			}
		}
	}
	return 0;
}
