/* SPDX-License-Identifier: Apache-2.0
 *
 * naps WORK SLEEP: for ever, many naps, so many milliseconds of work on a processor and of sleep.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double processor_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What the kernel notes of them fills what is too little for a sample. */
#define NAPS 500

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	for (;;) {
		for (int i = 0; i < NAPS; i++)
			usleep(1);
		double end = processor_time() + 1e-3 * atof(argv[1]);

		while (processor_time() < end)
			;
		usleep((useconds_t)(1000 * atof(argv[2])));
	}
}
