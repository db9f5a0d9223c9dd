/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime is loaded; the program stops before it uses OpenMP, and once more in its first region.
 * Truth: at the first stop one thread that is not OpenMP's yet, at the second everything in the region.
 */
#include "truth.h"

/* Not in main: clang lets the runtime start where the function with the construct begins. */
__attribute__((noinline)) static void first_region(void)
{
	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(3)
	{
		truth_record();
		truth_stop(3);
	}
}

int main(void)
{
	truth_record_native();
	truth_stop(1);
	truth_begin();
	first_region();
	return 0;
}
