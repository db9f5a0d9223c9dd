/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread in three serialized regions: no team of more than one was ever there.
 * Truth: everything at the innermost level.
 */
#include "truth.h"

int main(void)
{
	TRUTH_CONSTRUCT(1);
#pragma omp parallel if (0)
	{
		TRUTH_CONSTRUCT(2);
#pragma omp parallel num_threads(1)
		{
			TRUTH_CONSTRUCT(3);
#pragma omp parallel if (0)
			{
				truth_record();
				truth_stop(1);
			}
		}
	}
	return 0;
}
