/* SPDX-License-Identifier: Apache-2.0
 *
 * A team that waits for ever, until somebody has looked at it. Argument: what happens then. "kill": it is killed as soon
 * as it is traced; and when it is let go, "exit": it ends; "fork": it forks; "exec" PROGRAM...: it executes another.
 */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static char **args;

static int tracer_of(pid_t pid)
{
	char path[64], line[256];
	int tracer = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	if (file)
		fclose(file);
	return tracer;
}

/* In a process of its own, which nobody stops. */
static void watch(pid_t pid)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!tracer_of(pid))
		usleep(200);
	if (strcmp(args[1], "kill") == 0)
		kill(pid, SIGKILL);
	while (tracer_of(pid))
		usleep(200);
	kill(pid, SIGUSR1);
	_exit(0);
}

static void act(int number)
{
	(void)number;
	if (strcmp(args[1], "exit") == 0)
		_exit(7);
	if (strcmp(args[1], "exec") == 0)
		execv(args[2], args + 2);
	for (int i = 0; i < 20 && strcmp(args[1], "fork") == 0; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			pause();
		}
}

int main(int argc, char **argv)
{
	const pid_t own = getpid();
	omp_lock_t lock;
	sigset_t set;

	args = argv;
	signal(SIGUSR1, act);
	/* It may have been executed by its own handler. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	if (argc > 1 && fork() == 0)
		watch(own);
	omp_init_lock(&lock);
	omp_set_lock(&lock);
#pragma omp parallel num_threads(3)
	{
#pragma omp barrier
#pragma omp master
		{
			puts("waits");
			fflush(stdout);
		}
		omp_set_lock(&lock);
	}
	return 0;
}
