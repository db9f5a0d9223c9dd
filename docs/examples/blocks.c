/* SPDX-License-Identifier: Apache-2.0
 *
 * The tutorial's crash: in a region inside another, one thread gets a block that was never allocated.
 */
#include <stdlib.h>
#include <unistd.h>

#define BLOCKS 3
#define SIZE 1000

static double *block_of(double **blocks, int number)
{
	return blocks[number];
}

static double sum(double **blocks, int number)
{
	double total = 0;

	usleep(100000 * number); /* blocks come one after another */
#pragma omp parallel for num_threads(2) reduction(+ : total)
	for (int i = 0; i < SIZE; i++)
		total += block_of(blocks, number)[i];
	return total;
}

int main(void)
{
	double *blocks[BLOCKS] = {NULL};
	double total = 0;

	for (int i = 0; i < BLOCKS - 1; i++)
		blocks[i] = calloc(SIZE, sizeof(double));
#pragma omp parallel for num_threads(BLOCKS) reduction(+ : total)
	for (int number = 0; number < BLOCKS; number++)
		total += sum(blocks, number);
	return total > 0;
}
