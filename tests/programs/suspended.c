/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks that wait for tasks: on each thread's stack lie several, one on top of the other. All stop when the
 * leaves that are executed are as many as there are threads.
 * With -DCLAUSE=untied they are untied.
 * Truth, in OMPD_TRUTH_FILE.tasks: a line "TID DEPTH" for each task that was begun and is not at its end; those of a
 * thread in the order in which it began them.
 */
#include "truth.h"

#ifndef CLAUSE
#define CLAUSE
#endif
#define THREADS 4
#define DEEP 5

static int leaves;

static void leaf(void)
{
	if (__atomic_add_fetch(&leaves, 1, __ATOMIC_SEQ_CST) == THREADS) {
		settle();
		truth_write();
		stop_here();
		exit(0);
	}
	for (;;)
		usleep(1000);
}

static void tree(int depth)
{
	truth_append("tasks", "%ld %d\n", truth_tid(), depth);
	if (depth == DEEP)
		leaf();
#pragma omp task CLAUSE
	tree(depth + 1);
#pragma omp task CLAUSE
	tree(depth + 1);
#pragma omp taskwait
	truth_seen();
}

int main(void)
{
#pragma omp parallel num_threads(THREADS)
#pragma omp single
#pragma omp task CLAUSE
	tree(1);
	return 0;
}
