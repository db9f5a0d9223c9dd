/* SPDX-License-Identifier: Apache-2.0
 *
 * What tools/demo shows: a plate that cools, in blocks. Each block's sweep is a region inside the blocks' region, the residual a
 * serialized one; a thread of the program's own writes progress. `heat crash` reads past its plate in step 3.
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 2, THREADS = 3, ROWS = 96, COLUMNS = 64, STEPS = 4 };

static double plate[BLOCKS][ROWS][COLUMNS], next[BLOCKS][ROWS][COLUMNS];
static volatile int step, done;
static int crash;

static void sweep_row(int block, long row)
{
	for (int column = 1; column < COLUMNS - 1; column++)
		next[block][row][column] =
			(plate[block][row - 1][column] + plate[block][row + 1][column] +
			 plate[block][row][column - 1] + plate[block][row][column + 1]) /
			4;
}

static void sweep(int block)
{
#pragma omp parallel num_threads(THREADS)
	{
#pragma omp for
		for (long row = 1; row < ROWS - 1; row++) {
			const int wrong = crash && step == 3 && block == 1 && row == 70;

			sweep_row(block, wrong ? row * 1000000 : row);
		}
	}
}

static double residual(int block)
{
	double sum = 0;

#pragma omp parallel num_threads(1) reduction(+ : sum)
	for (int row = 0; row < ROWS; row++)
		sum += plate[block][row][COLUMNS / 2];
	return sum;
}

static void *report(void *unused)
{
	while (!done)
		usleep(1000);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t reporter;

	crash = argc > 1 && strcmp(argv[1], "crash") == 0;
	memset(plate, 0, sizeof(plate));
	omp_set_max_active_levels(2);
	pthread_create(&reporter, NULL, report, NULL);
	for (step = 1; step <= STEPS; step++) {
#pragma omp parallel num_threads(BLOCKS)
		{
			const int block = omp_get_thread_num();

			sweep(block);
			residual(block);
		}
		memcpy(plate, next, sizeof(plate));
	}
	done = 1;
	pthread_join(reporter, NULL);
	return 0;
}
