/* SPDX-License-Identifier: Apache-2.0
 *
 * An MPI program of four ranks, each of which waits for a message that never comes. Arguments: FOLDER.
 * Truth, in FOLDER/RANK: "PID CALL DIRECTION OTHER WORLD", where OTHER is a rank or "any"; WORLD 0: in another communicator.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LIFE_SECONDS 280 /* what outlives its test must not stay */
#define NEVER 7          /* a tag that nobody sends */

static const char *folder;
static MPI_Comm other;

static void tell(int rank, const char *call, const char *direction, const char *whom, int world)
{
	char path[4096], done[4096];
	FILE *truth;

	snprintf(path, sizeof path, "%s/%d.new", folder, rank);
	snprintf(done, sizeof done, "%s/%d", folder, rank);
	truth = fopen(path, "w");
	if (!truth)
		exit(3);
	fprintf(truth, "%d %s %s %s %d\n", getpid(), call, direction, whom, world);
	fclose(truth);
	rename(path, done);
}

static void wait_for_ever(int rank, int from, int *word)
{
	if (rank == 0) {
		tell(rank, "MPI_Recv", "from", "any", 1);
		MPI_Recv(word, 1, MPI_INT, MPI_ANY_SOURCE, NEVER, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		tell(rank, "MPI_Ssend", "to", "0", 1);
		MPI_Ssend(word, 1, MPI_INT, from, 0, MPI_COMM_WORLD);
	} else if (rank == 2) {
		tell(rank, "MPI_Probe", "from", "1", 0);
		MPI_Probe(from, NEVER, other, MPI_STATUS_IGNORE);
	} else {
		tell(rank, "MPI_Recv", "from", "2", 1);
		MPI_Recv(word, 1, MPI_INT, from, NEVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	int rank, word = 0, threads = 0;

	if (argc != 2)
		return 2;
	folder = argv[1];
	alarm(LIFE_SECONDS);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
#pragma omp parallel num_threads(2) reduction(+ : threads)
	threads++;
	wait_for_ever(rank, rank - 1, &word);
	printf("%d\n", threads + word);
	MPI_Finalize();
	return 0;
}
