/* SPDX-License-Identifier: Apache-2.0
 *
 * Where must `ompd step', `ompd next' and `ompd finish' lead? STEPS NAME COMPILERS THREAD@PLACE: the thread that meets PLACE first
 * is stopped there; then each command with the place where it ends: FUNCTION@PLACE LEVEL.THREAD, `body' for a construct's code.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

volatile int sink, no;

static __attribute__((noinline)) int work(int value)
{
	sink += value; /* PLACE work */
	return value;  /* PLACE return */
}

/* STEPS through clang 0@before:
 *   next region@region 0.0; step body@first 1.0; next body@barrier 1.0; next body@second 1.0; next body@end 1.0;
 *   next region@behind 0.0; next region@done 0.0
 * STEPS call any 0@second: step work@work 1.0; finish region@behind 0.0
 * STEPS through gcc 0@before:
 *   next region@region 0.0; step body@first 1.0; next body@barrier 1.0; next body@second 1.0; next body@region 1.0;
 *   next region@behind 0.0; next region@done 0.0
 * STEPS over any 0@region: next region@behind 0.0; next region@done 0.0
 * STEPS several any 0@before: next_2 region@behind 0.0
 * STEPS finish any 0@first: finish region@behind 0.0
 * STEPS late any 0@second: finish region@behind 0.0
 * STEPS worker clang 1@first: next body@barrier 1.1; next body@second 1.1; next body@end 1.1; next error; finish error
 * STEPS worker gcc 1@first: next body@barrier 1.1; next body@second 1.1; next body@region 1.1; step error; finish error
 * STEPS part clang 1@first: finish body@end 1.1
 * STEPS part gcc 1@first: finish body@region 1.1 */
static void region(int value)
{
	work(1);                    /* PLACE before */
#pragma omp parallel num_threads(3) /* PLACE region */
	{
		work(value + 2); /* PLACE first */
#pragma omp barrier              /* PLACE barrier */
		work(value + 3); /* PLACE second */
	}                        /* PLACE end */
	work(4);                 /* PLACE behind */
} /* PLACE done */

/* STEPS inner any 1@inner:
 *   step body@innermost 2.0; finish body@after 1.1
 * STEPS innermost any 0@innermost: finish body@after 1.1 */
static void nested(int value)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2) /* PLACE inner */
			{
				work(value + 5); /* PLACE innermost */
#pragma omp barrier
				work(value + 6);
			}
			work(7); /* PLACE after */
		}
	}
}

/* STEPS serialized any 0@serialized: step body@alone 1.0; finish serialized@aside 0.0
 * STEPS skipped any 0@serialized: next serialized@aside 0.0 */
static void serialized(int value)
{
	work(8);
#pragma omp parallel if (no) /* PLACE serialized */
	{
		work(value + 9); /* PLACE alone */
		work(value + 10);
	}
	work(11); /* PLACE aside */
}

/* STEPS tasks any 0@tasks: next body@generate 1.0; next body@wait 1.0; next body@waited 1.0
 * STEPS inquire any 0@inquire: step body@tasks 1.0 */
static void tasks(int value)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) { /* PLACE inquire */
			work(12);                /* PLACE tasks */
#pragma omp task                                 /* PLACE generate */
			{
				work(value + 13); /* PLACE task */
				work(value + 14);
			}
#pragma omp taskwait              /* PLACE wait */
			work(15); /* PLACE waited */
		}
	}
}

/* Thread 0 leaves the tasks to thread 1, which executes both where it waits: at the barrier, and at the end of the region.
 * STEPS handed any 1@handed: step body@given 1.1; step body@taken 1.1
 * STEPS deferred clang 1@deferred: step body@left_over 1.1; step body@left_over 1.1; step error; finish error
 * STEPS deferred gcc 1@deferred: step body@left_over 1.1; step error; finish error */
static void handed_over(int value)
{
	sink = 0;
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			for (int i = 0; i < 2; i++)
#pragma omp task                                 /* PLACE given */
				sink = sink + 1; /* PLACE handed */
			while (sink < 2)
				;
		}
#pragma omp barrier
		work(value + 25); /* PLACE taken */
#pragma omp barrier
		if (omp_get_thread_num() == 0) {
			sink = 0;
			for (int i = 0; i < 2; i++)
#pragma omp task                                 /* PLACE left_over */
				sink = sink + 1; /* PLACE deferred */
			while (sink < 2)
				;
		}
	}
}

/* STEPS critical any 1@enter: next body@critical 1.1; next body@left 1.1 */
static void critical(int value)
{
#pragma omp parallel num_threads(3)
	{
		work(16); /* PLACE enter */
#pragma omp critical      /* PLACE critical */
		{
			work(value + 17); /* PLACE inside */
		}
		work(18); /* PLACE left */
	}
}

/* STEPS league any 0@teams: next league@parallel 0.0; next league@beyond 0.0
 * STEPS team any 0@parallel: step body@initial 0.0; next body@fork 0.0; step body@member 1.0; finish body@joined 0.0; finish league@beyond 0.0
 * STEPS skip any 0@parallel: step body@initial 0.0; next_2 body@joined 0.0; finish league@beyond 0.0 */
static __attribute__((noinline)) void league(int value)
{
	work(19);                              /* PLACE teams */
#pragma omp teams num_teams(2) thread_limit(2) /* PLACE parallel */
	{
		work(value + 20);   /* PLACE initial */
#pragma omp parallel num_threads(2) /* PLACE fork */
		{
			work(value + 21); /* PLACE member */
			work(value + 22);
		}
		work(value + 23); /* PLACE joined */
	}
	work(24); /* PLACE beyond */
}

/* gcc gives the call that begins such a region to the line before, or to the function's prologue.
 * STEPS left gcc 0@set: step set@set_end 0.0; step body@nothing_shared 1.0
 * STEPS prologue gcc 0@first_call: step body@begun_at_once 1.0 */
static __attribute__((noinline)) void set(void)
{
	sink = 26; /* PLACE set */
} /* PLACE set_end */

static __attribute__((noinline)) void begins_with_a_region(void)
{
#pragma omp parallel num_threads(2)
	{
		sink = 27; /* PLACE begun_at_once */
	}
}

static void first(void)
{
	set();
#pragma omp parallel num_threads(2)
	{
		sink = 28; /* PLACE nothing_shared */
	}
	begins_with_a_region(); /* PLACE first_call */
}

/* Nobody leaves before a debugger sets `no'. That there is a team is told by a file. */
static void held(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
			const char *path = getenv("OMPD_TRUTH_FILE");
			FILE *file = path != NULL ? fopen(path, "w") : NULL;

			if (file != NULL)
				fclose(file);
			while (!no)
				;
		}
		sink = 0; /* PLACE last */
#pragma omp barrier       /* PLACE held */
		sink = 1;
	}
	sink = 2; /* PLACE free */
}

int main(int argc, char **argv)
{
	/* libomp's default limit is the number of processors, and the machine may have few. */
	setenv("KMP_TEAMS_THREAD_LIMIT", "16", 0);
	omp_set_max_active_levels(2);
	omp_set_dynamic(0);
	(void)argv;
	if (argc > 1)
		held();
	for (int i = 0; argc == 1 && i < 2; i++) {
		region(i);
		nested(i);
		serialized(i);
		tasks(i);
		handed_over(i);
		critical(i);
		first();
	}
	if (argc == 1)
		league(0);
	return 0;
}
