/* SPDX-License-Identifier: Apache-2.0
 *
 * sleeps HOW BYTES: threads of a region sleep in a call of their own, each behind another kind of frame, and say how long:
 * LWP SECONDS. Built with frame pointers the way out of that sleep leads by them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT 2
#define ROUNDS 2
#define NAP 300000
#define APART __attribute__((noinline))

static void sleep_here(volatile char *kept)
{
	usleep(NAP);
	kept[0]++;
}

/* Arguments on the stack, and a frame that is aligned. */
APART static void passed(int a, int b, int c, int d, int e, int f, long g, long h, long i)
{
	volatile char kept[32] = {(char)(a + b + c + d + e + f + g + h + i)};

	sleep_here(kept);
}

APART static void passes(int bytes)
{
	_Alignas(64) volatile char kept[300];

	kept[bytes % 300] = 1;
	passed(1, 2, 3, 4, 5, 6, 7, 8, bytes);
	kept[0]++;
}

/* It is not known how far it moves the stack. */
APART static void any_size(int bytes)
{
	volatile char kept[bytes];

	memset((char *)(size_t)kept, 1, (size_t)bytes);
	sleep_here(kept);
}

APART static void deep(int depth)
{
	volatile char kept[48] = {1};

	if (depth)
		deep(depth - 1);
	else
		sleep_here(kept);
	kept[1]++;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	const char *how = argv[1];
	const int bytes = atoi(argv[2]), last = strcmp(how, "last") == 0;

	for (int k = 0; k < ROUNDS; k++) {
		if (last) {
#pragma omp parallel num_threads(COUNT)
			usleep(NAP);
			continue;
		}
#pragma omp parallel num_threads(COUNT)
		{
			if (strcmp(how, "passes") == 0)
				passes(bytes);
			else if (strcmp(how, "any_size") == 0)
				any_size(bytes);
			else
				deep(bytes);
			__asm__ volatile("");
		}
	}
	return 0;
}
