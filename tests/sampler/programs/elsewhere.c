/* SPDX-License-Identifier: Apache-2.0
 *
 * elsewhere LIBRARY TIMES: so often loads a library, has it work for a hundredth of a second, and unloads it. It never lies
 * where it has lain before.
 * Compiled with -DLIBRARY -shared it is that library.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#ifdef LIBRARY

static volatile double sink;

__attribute__((noinline)) static void work_elsewhere(double seconds)
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

void work(void)
{
	work_elsewhere(0.01);
	sink = sink + 1;
}

#else

int main(int argc, char **argv)
{
	for (int i = 0; argc > 2 && i < atoi(argv[2]); i++) {
		void *library = dlopen(argv[1], RTLD_NOW);
		void (*work)(void) = library ? (void (*)(void))dlsym(library, "work") : NULL;

		if (!work)
			return 1;
		work();
		char *page = (char *)((unsigned long)work & ~4095ul);

		dlclose(library);
		/* Nothing else comes there. */
		if (mmap(page, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
			 -1, 0) != page)
			return 2;
	}
	puts("done");
	return 0;
}

#endif
