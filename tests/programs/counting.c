/* SPDX-License-Identifier: Apache-2.0
 *
 * A team that never stands still: each thread counts in a word of its own. The first argument says how many threads, the
 * second one in which file the words are.
 */
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const int threads = argc > 2 ? atoi(argv[1]) : 0;
	const int fd = threads > 0 ? open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	const size_t size = (size_t)threads * sizeof(unsigned);
	volatile unsigned *counts;

	if (fd < 0 || ftruncate(fd, (off_t)size) != 0) {
		fprintf(stderr, "how many threads, and which file?\n");
		return 2;
	}
	counts = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (counts == MAP_FAILED)
		return 2;
	alarm(600); /* what outlives its test must not stay */
#pragma omp parallel num_threads(threads)
	for (;;) {
		counts[omp_get_thread_num()]++;
		usleep(5000);
	}
}
