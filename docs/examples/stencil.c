/* SPDX-License-Identifier: Apache-2.0
 *
 * The tutorial's lost mapping: the second sweep uses what is not on the device any more.
 */
#include <stdio.h>
#include <stdlib.h>

#define SIZE 4000

struct grid {
	int size;
	double *now, *next;
};

static void onto_device(struct grid *grid)
{
	double *now = grid->now, *next = grid->next;

#pragma omp target enter data map(to : now [0:grid->size], next [0:grid->size])
	grid->size = SIZE;
}

static void forget(double *values, int size)
{
#pragma omp target exit data map(delete : values [0:size])
	(void)values;
}

static void sweep(const double *from, double *to, int size)
{
#pragma omp target
	for (int i = 1; i < size - 1; i++)
		to[i] = (from[i - 1] + from[i + 1]) / 2;
}

int main(void)
{
	struct grid grid = {SIZE, calloc(SIZE, sizeof(double)), calloc(SIZE, sizeof(double))};

	onto_device(&grid);
	sweep(grid.now, grid.next, grid.size);
	forget(grid.now, grid.size);
	sweep(grid.next, grid.now, grid.size);
	printf("%g\n", grid.now[SIZE / 2]);
	return 0;
}
