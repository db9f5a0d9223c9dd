/* SPDX-License-Identifier: Apache-2.0
 *
 * The last region has ended, and its workers wait for another.
 * Truth: the main thread's serial answers, and which threads are idle.
 */
#include "truth.h"

int main(void)
{
	omp_set_max_active_levels(8);
#pragma omp parallel num_threads(3)
	{
#pragma omp parallel num_threads(2)
		truth_seen();
	}
#pragma omp parallel num_threads(4)
	truth_seen();
	truth_begin();
	truth_record();
	truth_stop(1);
	return 0;
}
