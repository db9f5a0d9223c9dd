/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads, each alone in a region of one, each starting three, each in two serialized regions: five levels.
 * Truth: everything that omp_get_*() tells at the innermost level.
 */
#include "truth.h"

int main(void)
{
	omp_set_max_active_levels(8);
	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(2)
	{
		TRUTH_CONSTRUCT(2);
#pragma omp parallel num_threads(1)
		{
			TRUTH_CONSTRUCT(3);
#pragma omp parallel num_threads(3)
			{
				TRUTH_CONSTRUCT(4);
#pragma omp parallel if (0)
				{
					TRUTH_CONSTRUCT(5);
#pragma omp parallel if (0)
					{
						truth_record();
						truth_stop(6);
					}
				}
			}
		}
	}
	return 0;
}
