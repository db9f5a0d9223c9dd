/* SPDX-License-Identifier: Apache-2.0
 *
 * Regions as compilers of GCC 4.8 and older made them: between two calls of the runtime the program calls the
 * region's code itself.
 *
 *     between_calls MILLISECONDS
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <time.h>

void GOMP_parallel_loop_dynamic_start(void (*)(void *), void *, unsigned, long, long, long, long);
void GOMP_parallel_start(void (*)(void *), void *, unsigned);
void GOMP_parallel_end(void);
_Bool GOMP_loop_dynamic_next(long *, long *);
void GOMP_loop_end_nowait(void);
int omp_get_thread_num(void);

enum { THREADS = 4 };

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

__attribute__((noinline)) static void compute(long long milliseconds)
{
	const long long end = now() + milliseconds * 1000000;

	while (now() < end)
		;
}

__attribute__((noinline)) static void plain(void *) __asm__("program._omp_fn.0");
__attribute__((noinline)) static void loop(void *) __asm__("program._omp_fn.1");

static void plain(void *data)
{
	(void)data;
	compute(omp_get_thread_num() ? 20 : 40);
}

static void loop(void *data)
{
	long from, to;

	(void)data;
	while (GOMP_loop_dynamic_next(&from, &to))
		compute(20);
	GOMP_loop_end_nowait();
}

__attribute__((noinline)) static void program(void)
{
	GOMP_parallel_start(plain, NULL, THREADS);
	plain(NULL);
	GOMP_parallel_end();
	GOMP_parallel_loop_dynamic_start(loop, NULL, THREADS, 0, 2 * THREADS, 1, 1);
	loop(NULL);
	GOMP_parallel_end();
}

int main(int argc, char **argv)
{
	const long long end = now() + atoi(argv[argc > 1 ? 1 : 0]) * 1000000LL;

	while (now() < end)
		program();
	return 0;
}
