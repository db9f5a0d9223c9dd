/* SPDX-License-Identifier: Apache-2.0
 *
 * A library with a team that waits for ever, in the runtime and in the C library.
 */
#include <omp.h>
#include <unistd.h>

int inside;

void unloads_part(void)
{
#pragma omp parallel num_threads(3)
	{
		__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
		if (omp_get_thread_num() == 2)
			for (;;)
				pause();
	}
}
