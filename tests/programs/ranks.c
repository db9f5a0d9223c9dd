/* SPDX-License-Identifier: Apache-2.0
 *
 * An MPI program of which one rank stays behind, and the others wait for it: by "lock" (two of its threads wait for each
 * other, the others in MPI_Barrier for it) or by "crash" (the others wait in MPI_Recv). Arguments: HOW RANK FOLDER.
 * Truth, in FOLDER/RANK: "PID RANK SIZE", then "TID WHAT" for each thread of OpenMP; the last one counts.
 */
#ifdef NO_MPI
#include "no_mpi.h"
#else
#include <mpi.h>
#endif
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "settle.h"

#ifndef LIFE_SECONDS
#define LIFE_SECONDS 280 /* what outlives its test must not stay */
#endif
#define THREADS 4

static omp_lock_t first, second;
static int locked;
static FILE *truth;

static void tell(const char *what)
{
	flockfile(truth);
	fprintf(truth, "%ld %s\n", (long)syscall(SYS_gettid), what);
	fflush(truth);
	funlockfile(truth);
}

static void against_each_other(omp_lock_t *own, omp_lock_t *other)
{
	omp_set_lock(own);
	__atomic_add_fetch(&locked, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&locked, __ATOMIC_SEQ_CST) < 2)
		usleep(1000);
	tell("lock");
	omp_set_lock(other);
	omp_unset_lock(other);
	omp_unset_lock(own);
}

static void stay_behind(const char *how)
{
#pragma omp parallel num_threads(THREADS)
	{
		int thread = omp_get_thread_num();

		if (strcmp(how, "crash") == 0 && thread == 2) {
			tell("crash");
			settle(); /* the others shall be at their barrier */
			*(volatile int *)8 = 1;
		} else if (strcmp(how, "lock") == 0 && thread < 2) {
			against_each_other(thread ? &second : &first, thread ? &first : &second);
		} else {
			tell("barrier");
		}
	}
}

static void wait_for(int rank, const char *how)
{
	int word;

#pragma omp parallel num_threads(THREADS)
	tell("idle");
	tell("mpi");
	if (strcmp(how, "crash") == 0)
		MPI_Recv(&word, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int rank, size;
	char path[4096];

	if (argc != 4)
		return 2;
	alarm(LIFE_SECONDS);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	snprintf(path, sizeof path, "%s/%d", argv[3], rank);
	truth = fopen(path, "w");
	if (!truth)
		return 3;
	fprintf(truth, "%d %d %d\n", getpid(), rank, size);
	omp_init_lock(&first);
	omp_init_lock(&second);
	if (rank == atoi(argv[2]))
		stay_behind(argv[1]);
	else
		wait_for(atoi(argv[2]), argv[1]);
	MPI_Finalize();
	return 0;
}
