/* SPDX-License-Identifier: Apache-2.0
 *
 * handlers SIGNAL exit|_exit|return: a thread of a team sends the process a signal, which the handler ends, with 7, or
 * does not: with 5. handlers SIGNAL critical: a thread gets it in the critical construct that the handler wants, too.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *how;

static void handle(int number)
{
	(void)number;
	if (strcmp(how, "exit") == 0)
		exit(7);
	if (strcmp(how, "_exit") == 0)
		_exit(7);
	if (strcmp(how, "critical") == 0) {
#pragma omp critical
		_exit(7);
	}
}

int main(int count, char **arguments)
{
	if (count != 3)
		return 1;
	int number = atoi(arguments[1]);
	how = arguments[2];
	signal(number, handle);
#pragma omp parallel num_threads(4)
	{
#pragma omp barrier
		if (strcmp(how, "critical") == 0) {
#pragma omp critical
			pthread_kill(pthread_self(), number);
		}
#pragma omp single
		kill(getpid(), number);
		usleep(100000);
	}
	return 5;
}
