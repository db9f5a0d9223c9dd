/* SPDX-License-Identifier: Apache-2.0
 *
 * A library for Python: regions of some milliseconds.
 */
static void spin(int count)
{
	for (volatile int i = 0; i < count; i++)
		;
}

void first(int count);
void second(int count);
void both(int count);

void first(int count)
{
#pragma omp parallel num_threads(2)
	spin(count);
}

void second(int count)
{
#pragma omp parallel num_threads(2)
	spin(count);
}

void both(int count)
{
#pragma omp parallel num_threads(2)
	spin(count);
}
