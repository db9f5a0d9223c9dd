/* SPDX-License-Identifier: Apache-2.0
 *
 * Whoever builds it gives x_name_x another name: of a function, variables, a critical, threads.
 */
#include <omp.h>
#include <sys/prctl.h>
#include <unistd.h>

static int x_name_x_shared;

__attribute__((noinline)) static int x_name_x(int x_name_x_argument)
{
#pragma omp parallel num_threads(3)
	{
		int x_name_x_private = omp_get_thread_num();

		prctl(PR_SET_NAME, "x_name_x");
		if (x_name_x_private == 0) {
#pragma omp barrier
		} else {
#pragma omp critical(x_name_x)
			{
				x_name_x_shared += x_name_x_private;
				pause();
			}
		}
	}
	return x_name_x_argument + x_name_x_shared;
}

int main(void)
{
	return x_name_x(7);
}
