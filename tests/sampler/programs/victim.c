/* SPDX-License-Identifier: Apache-2.0
 *
 * victim ROUNDS [churn|exec]: executes regions, and prints a sum that must not depend on who watches, and whether anybody
 * has traced it. churn: threads come and go meanwhile; exec: half way it executes itself anew.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int tracer(void)
{
	char line[256];
	int pid = 0;
	FILE *file = fopen("/proc/self/status", "r");

	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "TracerPid: %d", &pid) == 1)
			break;
	if (file)
		fclose(file);
	return pid;
}

static void *short_life(void *nothing)
{
	return nothing;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 100, sum = 0;
	const char *how = argc > 2 ? argv[2] : "";
	int traced = 0;

	for (long round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(3) reduction(+ : sum)
		for (int i = 0; i < 20000; i++)
			sum += (i * round + omp_get_thread_num()) % 7;
		if (round % 64 == 0)
			traced |= tracer();
		for (int i = 0; i < 20 && strcmp(how, "churn") == 0; i++) {
			pthread_t thread;

			if (pthread_create(&thread, NULL, short_life, NULL) == 0)
				pthread_join(thread, NULL);
		}
		if (round == rounds / 2 && strcmp(how, "exec") == 0) {
			execl("/proc/self/exe", argv[0], argv[1], "executed", (char *)NULL);
			return 9;
		}
	}
	printf("%ld traced %d\n", sum, traced);
	return 3;
}
