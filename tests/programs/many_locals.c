/* SPDX-License-Identifier: Apache-2.0
 *
 * Crashes in a recursion whose frames have more variables than a report has room for.
 */
#include <omp.h>
#include <stdio.h>

struct large {
	int numbers[4000];
	char text[2000];
	struct {
		double values[50];
	} parts[40];
};

static volatile int sink;

static int go_down(int left)
{
	struct large one, other;

	for (int i = 0; i < 4000; i++)
		one.numbers[i] = other.numbers[i] = i * left + i;
	snprintf(one.text, sizeof(one.text), "\033[31m%1900d", left);
	if (left == 0)
		*(volatile int *)8192 = 1;
	sink = go_down(left - 1) + one.numbers[left] + other.numbers[left];
	return sink;
}

int main(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1)
			go_down(40);
	}
	return 0;
}
