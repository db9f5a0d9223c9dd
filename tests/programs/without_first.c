/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that goes on in a team when its first thread has ended; then it ends itself, if OMPD_TRUTH_STOP is set, or
 * stays.
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char state_of_first(void)
{
	char path[64], line[512], state = '?';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
	file = fopen(path, "r");
	if (file && fgets(line, sizeof(line), file))
		sscanf(line, "%*d %*s %c", &state);
	if (file)
		fclose(file);
	return state;
}

static void *run(void *unused)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			while (state_of_first() != 'Z')
				usleep(1000);
			puts("alone");
			fflush(stdout);
			if (getenv("OMPD_TRUTH_STOP"))
				abort();
			pause();
		}
	}
	return unused;
}

int main(void)
{
	pthread_t runner;

	if (pthread_create(&runner, NULL, run, NULL) != 0)
		abort();
	pthread_exit(NULL);
}
