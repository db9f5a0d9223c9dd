/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside two nested regions a Fortran routine (fortran_callee.f90) is active in every thread.
 * Truth: everything at the innermost level.
 */
#include "truth.h"

void relax(void (*callback)(void), int sweeps);

static void record_and_stop(void)
{
	truth_record();
	truth_stop(4);
}

int main(void)
{
	omp_set_max_active_levels(8);
	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(2)
	{
		TRUTH_CONSTRUCT(2);
#pragma omp parallel num_threads(2)
		relax(record_and_stop, 1);
	}
	return 0;
}
