/* SPDX-License-Identifier: Apache-2.0
 *
 * A library for Python: each thread of a team calls back.
 */
double calls_back(double (*function)(int), int count)
{
	double sum = 0;

#pragma omp parallel for reduction(+ : sum) num_threads(3)
	for (int i = 0; i < count; i++)
		sum += function(i);
	return sum;
}
