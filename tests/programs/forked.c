/* SPDX-License-Identifier: Apache-2.0
 *
 * Forks after a parallel region of four threads. The child goes on as its argument says:
 *   region    it enters a region of four threads; libgomp waits there for ever for those that the child has not
 *   taken     the same, and a thread of its own has taken the place of one that is gone
 *   inside    the fork was inside the region, and the child goes on to a barrier
 *   exit      there is no fork: one thread ends in the region, and the others come to a barrier
 * These are innocent:
 *   none      it enters no region
 *   one       it enters a region of one thread, and stops there
 *   own       a thread of its own enters a region of four threads, and they stop there
 * Prints the process id of the one that goes on.
 */
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *way;

static int is(const char *name)
{
	return strcmp(way, name) == 0;
}

static void tell(void)
{
	printf("%d\n", (int)getpid());
	fflush(stdout);
}

static void *sleeper(void *none)
{
	for (;;) {
		pause();
	}
	return none;
}

static void region(int threads, int stay)
{
#pragma omp parallel num_threads(threads)
	{
		if (stay) {
			sleeper(NULL);
		}
	}
}

static void *own_region(void *none)
{
	region(4, 1);
	return none;
}

static void child(void)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (is("taken") || is("own")) {
		pthread_create(&thread, NULL, is("own") ? own_region : sleeper, NULL);
	}
	tell();
	if (is("region") || is("taken")) {
		region(4, 0);
	}
	if (is("one")) {
		region(1, 1);
	}
	sleeper(NULL);
}

static void inside(void)
{
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 2) {
			if (is("exit")) {
				tell();
				pthread_exit(NULL);
			}
			if (fork() == 0) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				tell();
			} else {
				sleeper(NULL);
			}
		}
#pragma omp barrier
	}
}

int main(int argc, char **argv)
{
	way = argc > 1 ? argv[1] : "none";
	if (is("inside") || is("exit")) {
		inside();
	}
	region(4, 0);
	if (fork() == 0) {
		child();
	}
	wait(NULL);
	return 0;
}
