/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that brings a runtime of its own: the other half of two_runtimes.c.
 */
#include <omp.h>

void second_region(int threads, void (*body)(int thread_num))
{
#pragma omp parallel num_threads(threads)
	body(omp_get_thread_num());
}
