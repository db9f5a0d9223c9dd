/* SPDX-License-Identifier: Apache-2.0
 *
 * The library that loads.c loads: a region of three threads.
 * Truth: everything in it.
 */
#include "truth.h"

void region(void)
{
	truth_begin();
	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(3)
	{
		truth_record();
		truth_stop(3);
	}
}
