/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of a triangle: row i has i of them. */
#include <math.h>
#include <omp.h>
#include <stdio.h>

enum { ROWS = 6000, STEPS = 20 };

static double position[ROWS], force[ROWS];
static double energy;

static double pairs(int i)
{
	double sum = 0;

	for (int j = 0; j < i; j++)
		sum += 1 / (1 + sqrt(fabs(position[i] - position[j])));
	return sum;
}

static void forces(void)
{
#pragma omp parallel for
	for (int i = 0; i < ROWS; i++)
		force[i] = pairs(i);
}

static void move(void)
{
#pragma omp parallel for
	for (int i = 0; i < ROWS; i++) {
		position[i] += 1e-3 * force[i];
#pragma omp critical(energy)
		energy += force[i] * force[i];
	}
}

int main(void)
{
	for (int i = 0; i < ROWS; i++)
		position[i] = i;
	for (int step = 0; step < STEPS; step++) {
		forces();
		move();
	}
	printf("%g\n", energy);
	return 0;
}
