/* SPDX-License-Identifier: Apache-2.0
 *
 * A league on the host: `teams N flat` stops in the initial threads of N teams, `teams N nested` inside
 * a region of two threads, and one serialized in it, that each of them starts.
 * Truth: everything at the innermost level, with the league's size and the team's number.
 */
#include "truth.h"

/* Not in main: clang lets the runtime start where the function with the construct begins. */
__attribute__((noinline)) static void league(int teams, int nested)
{
	omp_set_max_active_levels(8);
	TRUTH_CONSTRUCT(0);
#pragma omp teams num_teams(teams) thread_limit(2)
	if (!nested) {
		truth_record_as(0, teams, "initial");
		truth_stop(teams);
	} else {
		TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(2)
		{
			TRUTH_CONSTRUCT(2);
#pragma omp parallel if (0)
			{
				truth_record_as(0, teams, "implicit");
				truth_stop(2 * teams);
			}
		}
	}
}

int main(int argc, char **argv)
{
	const int teams = argc > 1 ? atoi(argv[1]) : 2;
	const int nested = argc > 2 && strcmp(argv[2], "nested") == 0;

	/* libomp's default limit is the number of processors, and the machine may have few. */
	setenv("KMP_TEAMS_THREAD_LIMIT", "16", 0);
	league(teams, nested);
	return 0;
}
