/* SPDX-License-Identifier: Apache-2.0
 *
 * An MPI program that hangs: in one rank, two threads take two locks in different orders, and the
 * other ranks wait for it.
 */
#include <mpi.h>
#include <omp.h>
#include <unistd.h>

#define STEPS 1000

static omp_lock_t left, right;

static void exchange(omp_lock_t *first, omp_lock_t *second)
{
	omp_set_lock(first);
	usleep(100000); /* a message is slow */
	omp_set_lock(second);
	omp_unset_lock(second);
	omp_unset_lock(first);
}

static void step(int rank)
{
#pragma omp parallel num_threads(2)
	{
		if (rank == 2 && omp_get_thread_num() == 1)
			exchange(&right, &left);
		else
			exchange(&left, &right);
	}
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	omp_init_lock(&left);
	omp_init_lock(&right);
	for (int i = 0; i < STEPS; i++) {
		step(rank);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
