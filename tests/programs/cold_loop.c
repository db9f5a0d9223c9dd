/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads call functions out of code that gcc moves away from a loop. Argument: where from ("inside": both out of
 * the loop; "before": one before it; "abort": both out of the loop, one by a call that
 * gcc makes of two, of which the other lies before the loop).
 */
#include "truth.h"

static volatile int seen, arrived;

__attribute__((noinline)) static void hold(int number)
{
	seen = number;
	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == 2)
		stop_here();
	while (arrived < 3)
		;
	seen = number;
}

/* What calls it is seldom executed. */
__attribute__((noinline, cold)) static void hold_rarely(int number)
{
	hold(number);
	seen = number;
}

int main(int argc, char **argv)
{
	const int before = argc > 1 && strcmp(argv[1], "before") == 0;
	const int aborts = argc > 1 && strcmp(argv[1], "abort") == 0;

#pragma omp parallel num_threads(2)
	{
		if (before && omp_get_thread_num() == 1)
			hold_rarely(-1);
		if (argc > 2)
			abort();
#pragma omp for schedule(monotonic : dynamic, 1) nowait
		for (int i = 0; i < 8 * argc; i++) {
			seen = i;
			if (i == 0)
				hold_rarely(i);
			if (aborts && i == 1) {
				while (arrived < 1)
					;
				abort();
			}
			if (__builtin_expect(i == 1 && !before, 0))
				hold(i);
		}
		seen = -2;
	}
	return 0;
}
