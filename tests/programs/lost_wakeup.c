/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread sleeps for a word that has been changed, and is not woken: by the program's own futex ("word") or a semaphore
 * of the C library's ("semaphore"). "counted" is healthy: the one that counts the word down works on, and only the last
 * count would wake. It says its process id once the word has changed.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <omp.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word = 2;
static sem_t slots;
static volatile int works_on;

static void wait_asleep(pid_t thread)
{
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	while (state != 'S') {
		FILE *stat = fopen(path, "r");

		if (!stat || fscanf(stat, "%*d (%*[^)]) %c", &state) != 1)
			state = 0;
		if (stat)
			fclose(stat);
		usleep(1000);
	}
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "word";
	static volatile pid_t sleeper;

	sem_init(&slots, 0, 0);
	works_on = !strcmp(way, "counted");
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num()) {
			sleeper = gettid();
			if (!strcmp(way, "semaphore"))
				sem_wait(&slots);
			else
				syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
		} else {
			while (!sleeper)
				usleep(1000);
			wait_asleep(sleeper);
			__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
			*(volatile int *)&slots = 1;
			printf("%d\n", getpid());
			fflush(stdout);
			while (works_on)
				;
		}
#pragma omp barrier
	}
	return 0;
}
