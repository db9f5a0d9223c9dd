/* SPDX-License-Identifier: Apache-2.0
 *
 * What an evaluation would run: threads that count without end, functions that a user may call, and variables without
 * a place of their own. stays crash: one thread crashes.
 */
#include <omp.h>
#include <stdio.h>

volatile long progress;
volatile int *volatile nowhere;
int calls;
int shared_elsewhere(void);

int twice(int number)
{
	calls++;
	return 2 * number;
}

__attribute__((noinline)) void stop_here(int number)
{
	if (number < 0)
		*nowhere = number;
}

__attribute__((noinline)) static void between(int number)
{
	int middle = number + 10;
	stop_here(number);
	progress += middle - number - 10;
}

int main(int count, char **arguments)
{
	int elsewhere = 5; /* stays_elsewhere.c has a static one */

	(void)arguments;
#pragma omp parallel num_threads(3) shared(elsewhere)
	{
		int gone[4] = {1, 2, 3, 4};
		int mine = omp_get_thread_num();
#pragma omp barrier
		if (mine == 1)
			between(count > 1 ? -1 : elsewhere);
		while (progress >= 0)
			progress++;
	}
	return shared_elsewhere();
}
