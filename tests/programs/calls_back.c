/* SPDX-License-Identifier: Apache-2.0
 *
 * A library for Python: each thread of a team calls back.
 */
#include <signal.h>

double calls_back(double (*function)(int), int count);
void told(void);
void tells(int number);

double calls_back(double (*function)(int), int count)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum) num_threads(3)
	for (int i = 0; i < count; i++)
		sum += function(i);
	return sum;
}

/* A debugger stops here. */
void told(void)
{
	__asm__ volatile("" : : : "memory");
}

static void (*before)(int);

static void tell(int number)
{
	before(number);
	told();
}

/* After what the signal does already. */
void tells(int number)
{
	before = signal(number, tell);
}
