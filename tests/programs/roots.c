/* SPDX-License-Identifier: Apache-2.0
 *
 * The main thread and three pthreads each use OpenMP on their own account: two have teams of two and
 * three with a nested region, the third only asked for its number, main is in serial code.
 * Truth: everything at each innermost level, by root thread.
 */
#include "truth.h"

static void *team_of_two(void *unused)
{
	truth_root(1);
#pragma omp parallel num_threads(2)
	{
		truth_record_as(1, 0, "implicit");
		truth_stop(10);
	}
	return unused;
}

static void *teams_of_three(void *unused)
{
	truth_root(2);
	omp_set_max_active_levels(8);
#pragma omp parallel num_threads(3)
	{
		TRUTH_CONSTRUCT(2);
#pragma omp parallel num_threads(2)
		{
			truth_record_as(2, 0, "implicit");
			truth_stop(10);
		}
	}
	return unused;
}

static void *serial(void *unused)
{
	truth_root(3);
	truth_record_as(3, 0, "initial");
	truth_stop(10);
	return unused;
}

int main(void)
{
	void *(*const roots[])(void *) = {team_of_two, teams_of_three, serial};
	pthread_t threads[3];
	int i;

	omp_get_level(); /* the first thread that the runtime meets */
	for (i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, roots[i], NULL);
	truth_record();
	truth_stop(10);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
