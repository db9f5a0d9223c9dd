/* SPDX-License-Identifier: Apache-2.0
 *
 * Forks before OpenMP is used; parent and child each stop in a region, of two and of three threads. With
 * "exec" the child becomes the program named in the next argument.
 * Truth: of the parent in OMPD_TRUTH_FILE, of the child in OMPD_TRUTH_FILE.child.
 */
#include <sys/wait.h>

#include "truth.h"

static void region(int threads)
{
	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(threads)
	{
		truth_record();
		truth_stop(threads);
	}
}

int main(int argc, char **argv)
{
	const pid_t child = fork();

	if (child == 0) {
		char path[4096];

		if (argc > 2 && strcmp(argv[1], "exec") == 0) {
			execv(argv[2], argv + 2);
			_exit(2);
		}
		snprintf(path, sizeof(path), "%s.child", getenv("OMPD_TRUTH_FILE"));
		setenv("OMPD_TRUTH_FILE", path, 1);
		region(3);
		_exit(0);
	}
	region(2);
	waitpid(child, NULL, 0);
	return 0;
}
