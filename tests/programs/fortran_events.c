/* SPDX-License-Identifier: Apache-2.0
 *
 * Records what passing.F90 passes, as events.c does: what, the line of its directive, the level, the team's
 * size, its number and how many there are.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 100000 };

static struct {
	char what[32]; /* Fortran's constants may lie on the stack */
	int line, level, size, team, teams;
} events[MOST];
static int count;

void passed(const char *what, int line);
void passed_by_team(const char *what, int line);
void written(void);

void passed(const char *what, int line)
{
	int i = __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);

	if (i >= MOST)
		abort();
	snprintf(events[i].what, sizeof(events[i].what), "%s", what);
	events[i].line = line;
	events[i].level = omp_get_level();
	events[i].size = omp_get_num_threads();
	events[i].team = omp_get_team_num();
	events[i].teams = omp_get_num_teams();
}

/* Of a region or a barrier: its thread 0 records it. */
void passed_by_team(const char *what, int line)
{
	if (omp_get_thread_num() == 0)
		passed(what, line);
}

void written(void)
{
	FILE *file = fopen(getenv("OMPD_TRUTH_FILE"), "w");

	if (!file)
		abort();
	fprintf(file, "{\"events\": [");
	for (int i = 0; i < count; i++)
		fprintf(file, "%s[\"%s\", %d, %d, %d, %d, %d]", i ? ", " : "", events[i].what,
			events[i].line, events[i].level, events[i].size, events[i].team,
			events[i].teams);
	fprintf(file, "]}\n");
	fclose(file);
}
