/* SPDX-License-Identifier: Apache-2.0
 *
 * Enters a region twice: the first time its threads are made.
 */
#include <omp.h>

static int sum;

static __attribute__((noinline)) void solve(int number)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp atomic
		sum += number;
#pragma omp barrier
#pragma omp single
		sum++;
	}
}

int main(void)
{
	solve(1);
	solve(2);
	return sum == 0;
}
