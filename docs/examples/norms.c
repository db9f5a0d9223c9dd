/* SPDX-License-Identifier: Apache-2.0
 *
 * The tutorial's wrong value: the norm of one part of a vector is no number.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PARTS 8
#define SIZE 1000

static double norm(const double *part, int length)
{
	double squares = 0;

	for (int i = 0; i < length; i++)
		squares += part[i] * fabs(part[i]);
	return sqrt(squares);
}

int main(void)
{
	static double vector[PARTS][SIZE];
	double total = 0;

	for (int i = 0; i < PARTS * SIZE; i++)
		vector[i / SIZE][i % SIZE] = i == 5500 ? -1e9 : 1.0 / (i + 1);
#pragma omp parallel num_threads(PARTS) reduction(+ : total)
	{
		double mine = 0;

#pragma omp for
		for (int part = 0; part < PARTS; part++)
			mine = norm(vector[part], SIZE);
		total += mine;
	}
	printf("%g\n", total);
	return 0;
}
