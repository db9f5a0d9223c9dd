/* SPDX-License-Identifier: Apache-2.0
 *
 * `execs' passes a region of 2 threads, and executes itself once more, with an argument; then it ends behind the region.
 */
#include <omp.h>
#include <unistd.h>

volatile int sink;

int main(int argc, char **argv)
{
#pragma omp parallel num_threads(2)
	sink = argc;
	if (argc == 1)
		execl("/proc/self/exe", argv[0], "again", (char *)0); /* PLACE exec */
	return 0;
}
