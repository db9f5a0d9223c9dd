/* SPDX-License-Identifier: Apache-2.0
 *
 * beat MILLISECONDS SECONDS: two threads that change between two functions, for so long each, a third of it in `first', in
 * step with the clock. At its end it prints how long they were on a processor in each: "first 1234", in nanoseconds.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile double sink;

static long long ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void work(long long until)
{
	while (ns(CLOCK_MONOTONIC) < until)
		for (int i = 0; i < 500; i++)
			sink = sink + 1;
}

__attribute__((noinline)) static void first(long long until)
{
	work(until);
	sink = sink + 1;
}

__attribute__((noinline)) static void second(long long until)
{
	work(until);
	sink = sink + 2;
}

int main(int argc, char **argv)
{
	const long long period = (long long)(1e6 * (argc > 1 ? atof(argv[1]) : 10));
	const long long end =
		ns(CLOCK_MONOTONIC) + (long long)(1e9 * (argc > 2 ? atof(argv[2]) : 1));
	long long in_first = 0, in_second = 0;

#pragma omp parallel num_threads(2) reduction(+ : in_first, in_second)
	for (long long at; (at = ns(CLOCK_MONOTONIC)) < end;) {
		const long long turn = at - at % period, begin = ns(CLOCK_THREAD_CPUTIME_ID);

		first(turn + period / 3);
		const long long between = ns(CLOCK_THREAD_CPUTIME_ID);

		second(turn + period);
		in_first += between - begin;
		in_second += ns(CLOCK_THREAD_CPUTIME_ID) - between;
	}
	printf("first %lld\nsecond %lld\n", in_first, in_second);
	return 0;
}
