/* SPDX-License-Identifier: Apache-2.0
 *
 * A team of three of which a thread cancels something. The argument says what:
 *   parallel, for, taskgroup   it does so, and the others work on without a cancellation point
 *   off                        cancellation is off, and all of them work until it is requested
 * These are innocent:
 *   points     cancellation is on, and each thread comes to a cancellation point before long
 *   unneeded   cancellation is off, and the loop ends by itself
 * What is done without an end ends when somebody sets a variable. Once it has begun, something is written
 * into the file that the second argument names.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile int stop, begun;

static __attribute__((noinline)) void work(void)
{
	while (!stop) {
	}
}

static void tell(const char *path)
{
	FILE *file = fopen(path, "w");

	fputs("begun\n", file);
	fclose(file);
}

static void cancel_parallel(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
		}
		work();
	}
}

static void cancel_for(void)
{
#pragma omp parallel num_threads(3)
	{
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 3; i++) {
			if (i == 0) {
#pragma omp cancel for
			}
			work();
		}
	}
}

static void cancel_taskgroup(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskgroup
	{
		for (int i = 0; i < 2; i++) {
#pragma omp task
			{
				begun = 1;
				work();
			}
		}
		while (!begun) {
		}
#pragma omp task if (0)
		{
#pragma omp cancel taskgroup
		}
	}
}

static void never_cancelled(void)
{
#pragma omp parallel num_threads(3)
	{
		for (;;) {
			usleep(100);
#pragma omp cancel parallel /* here */
		}
	}
}

static void points(int needed)
{
	while (!stop) {
#pragma omp parallel num_threads(3)
		{
#pragma omp for schedule(static, 1)
			for (int i = 0; i < 30; i++) {
				if (i == 20 && needed) {
#pragma omp cancel for
				}
				usleep(500);
#pragma omp cancellation point for
			}
		}
	}
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 1;
	tell(argv[2]);
	if (strcmp(argv[1], "parallel") == 0)
		cancel_parallel();
	else if (strcmp(argv[1], "for") == 0)
		cancel_for();
	else if (strcmp(argv[1], "taskgroup") == 0)
		cancel_taskgroup();
	else if (strcmp(argv[1], "off") == 0)
		never_cancelled();
	else
		points(strcmp(argv[1], "points") == 0);
	return 0;
}
