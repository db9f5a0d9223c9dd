/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin LIBRARY TIMES [BYTES]: a program without OpenMP, which so often loads a library with regions, has it work, and unloads
 * it. BYTES: before that it cuts the library's file to so many, and has other functions of it work.
 * Compiled with -DLIBRARY -shared it is that library.
 */
#include <dlfcn.h>
#ifdef LIBRARY
#include <omp.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;

static void work(double seconds)
{
	struct timespec t;
	double end = 0, at;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		at = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
		end = end > 0 ? end : at + seconds;
		for (int i = 0; i < 1000; i++)
			sink = sink + 1;
	} while (at < end);
}

#ifdef LIBRARY

void region(void)
{
#pragma omp parallel num_threads(2)
	work(0.2);
}

/* libgomp goes with the library, and its threads, which it lets sleep in its own code, would not survive that. */
void leave(void)
{
#ifndef __clang__
	omp_pause_resource_all(omp_pause_hard);
#endif
}

static volatile double other_sink;

void other_region(void)
{
	const double end = omp_get_wtime() + 0.3;

#pragma omp parallel num_threads(2)
	while (omp_get_wtime() < end)
		for (int i = 0; i < 1000; i++)
			other_sink = other_sink + 1;
}

#else

int main(int argc, char **argv)
{
	for (int i = 0; argc > 2 && i < atoi(argv[2]); i++) {
		work(0.1);
		void *library = dlopen(argv[1], RTLD_NOW);
		void (*region)(void) = library ? (void (*)(void))dlsym(library, "region") : NULL;

		if (!region)
			return 1;
		region();
		if (argc > 3) {
			void (*other)(void) = (void (*)(void))dlsym(library, "other_region");

			if (truncate(argv[1], atol(argv[3])))
				return 1;
			other();
		}
		((void (*)(void))dlsym(library, "leave"))();
		dlclose(library);
	}
	puts("done");
	return 0;
}

#endif
