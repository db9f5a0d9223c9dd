/* SPDX-License-Identifier: Apache-2.0
 *
 * A library by another compiler, with that one's runtime, a lock and a critical construct: the other half of mixed.c.
 */
#include <omp.h>

static omp_lock_t theirs;

__attribute__((constructor)) static void begin(void)
{
	omp_init_lock(&theirs);
}

void part_region(int threads, void (*body)(int thread_num, int level))
{
#pragma omp parallel num_threads(threads)
	body(omp_get_thread_num(), omp_get_level());
}

void part_locked(void (*body)(void))
{
	omp_set_lock(&theirs);
	body();
	omp_unset_lock(&theirs);
}

void part_critical(void (*body)(void))
{
#pragma omp critical(part)
	body();
}
