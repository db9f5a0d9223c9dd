/* SPDX-License-Identifier: Apache-2.0
 *
 * Two regions in one function, of which only the second is executed. The code of the first holds, in the value that an
 * instruction loads, the bytes of a jump to the second's. -DMAKES_WAY: both end by a jump to the same function.
 */
#include <omp.h>
#include <time.h>

#ifdef MAKES_WAY
#define STAYS
#else
#define STAYS __asm__ volatile("")
#endif

static volatile double sink;

__attribute__((noinline)) static void work(void)
{
	for (int i = 0; i < 1000000; i++)
		sink = sink + 0.5;
	__asm__ volatile("");
}

__attribute__((noinline)) static void begin(int first, double seconds)
{
	const double end = omp_get_wtime() + seconds;

	if (__builtin_expect(first, 1))
#pragma omp parallel num_threads(2)
	{
		__asm__ volatile(".byte 0xb8, 0xeb, begin._omp_fn.1 - . - 1, 0, 0" : : : "eax");
		work();
		STAYS;
	}
	while (omp_get_wtime() < end)
#pragma omp parallel num_threads(2)
	{ /* EXECUTED */
		work();
		STAYS;
	}
}

int main(int argc, char **argv)
{
	(void)argv;
	begin(argc > 5, 1);
	return 0;
}
