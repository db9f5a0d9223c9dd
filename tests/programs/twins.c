/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads wait at the end of a construct, or with EXPLICIT at a barrier behind the same construct with nowait. As the
 * argument says: single, or loop (with a static schedule). One thread stays inside.
 */
#include <string.h>

#include "truth.h"

#ifdef EXPLICIT
#define NOWAIT nowait
#define BARRIER _Pragma("omp barrier")
#else
#define NOWAIT
#define BARRIER
#endif
#define DIRECTIVE(text) _Pragma(#text)
#define CONSTRUCT(text) DIRECTIVE(text)

static int results[3];

static __attribute__((noinline)) void stay(void)
{
	truth_record();
	settle();
	truth_stop(1);
}

static void in_single(void)
{
#pragma omp parallel num_threads(3)
	{
		CONSTRUCT(omp single NOWAIT)
		stay();
		BARRIER
		results[omp_get_thread_num()] = 1;
	}
}

static void in_loop(void)
{
#pragma omp parallel num_threads(3)
	{
		CONSTRUCT(omp for schedule(static) NOWAIT)
		for (int i = 0; i < 3; i++) {
			if (i == 1)
				stay();
			results[i] = i;
		}
		BARRIER
		results[omp_get_thread_num()] += 1;
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "loop") == 0)
		in_loop();
	else
		in_single();
	return results[0] > 9;
}
