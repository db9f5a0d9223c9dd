/* SPDX-License-Identifier: Apache-2.0 */
/* A thread has a nested lock for a second and a half, while others wait for it, and the program ends. */
#include <omp.h>
#include <unistd.h>

static omp_nest_lock_t lock;

int main(void)
{
	omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num())
			usleep(100000);
		omp_set_nest_lock(&lock);
		if (!omp_get_thread_num())
			usleep(1500000);
		omp_unset_nest_lock(&lock);
	}
	return 0;
}
