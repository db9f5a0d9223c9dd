/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads sleep at a barrier until the primary comes, and have little to do between it and the end of the
 * region.
 */
#include <omp.h>
#include <unistd.h>

int main(void)
{
#pragma omp parallel num_threads(3)
	{
		usleep(omp_get_thread_num() == 0 ? 500000 : 1000);
#pragma omp barrier
		usleep(1000);
	}
	return 0;
}
