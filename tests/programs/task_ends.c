/* SPDX-License-Identifier: Apache-2.0
 *
 * Explicit tasks that generate tasks and wait for them: of different functions, and of one that calls itself. At any moment
 * depth[NUM] tells in how many tasks' code the thread is. `task_ends PARTS|SELF'.
 */
#include <omp.h>
#include <string.h>

static int depth[8]; /* by thread number */
static volatile int sink;

static void enter(void)
{
	depth[omp_get_thread_num()]++;
}

static void leave(void)
{
	depth[omp_get_thread_num()]--;
}

static void inner(int n)
{
#pragma omp task firstprivate(n)
	{
		enter();
#pragma omp task firstprivate(n)
		{
			enter();
			sink = n;
			leave();
		}
#pragma omp taskwait
		leave();
	}
}

static void parts(int n)
{
	for (int i = 0; i < n; i++) {
#pragma omp task firstprivate(i)
		{
			enter();
			inner(i);
#pragma omp taskwait
			leave();
		}
	}
#pragma omp taskwait
}

static void self(int n)
{
	if (n < 2)
		return;
#pragma omp taskgroup
	{
#pragma omp task firstprivate(n)
		{
			enter();
			self(n - 1);
			sink = n;
			leave();
		}
#pragma omp task firstprivate(n)
		{
			enter();
			self(n - 2);
			sink = n;
			leave();
		}
	}
}

int main(int argc, char **argv)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		if (argc > 1 && !strcmp(argv[1], "self"))
			self(5);
		else
			parts(4);
	}
	return 0;
}
