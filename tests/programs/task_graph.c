/* SPDX-License-Identifier: Apache-2.0
 *
 * Three threads, each in a task that goes on only after the stop. A dozen tasks in all: a chain of
 * dependences, a task that waits for its child, one with a priority, and ones that wait for a free thread.
 * Truth, in OMPD_TRUTH_FILE.tasks: a line "TID LINE" for each thread, LINE where the task that it executes
 * was created; "chain", "waiting", "child", "urgent", "plain" and the line of each kind; "made N" tasks;
 * "begun" if the task that waits has begun.
 */
#include "truth.h"

enum { CHAIN = 4, PLAIN = 5, THREADS = 3 };

static int chain, waiting, child, urgent, plain;
static int made, begun, all_made, told;

static void tell(const char *format, const char *word, long number)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s.tasks", getenv("OMPD_TRUTH_FILE"));
	file = fopen(path, "a");
	if (!file)
		abort();
	fprintf(file, format, word, number);
	fclose(file);
}

static void count(void)
{
	__atomic_add_fetch(&made, 1, __ATOMIC_SEQ_CST);
}

/* Until the stop is over; afterwards tasks are done at once. */
static void leaf(int line)
{
	char tid[32];

	if (__atomic_load_n(&truth_released, __ATOMIC_SEQ_CST))
		return;
	while (!__atomic_load_n(&all_made, __ATOMIC_SEQ_CST))
		usleep(1000);
	snprintf(tid, sizeof(tid), "%ld", truth_tid());
	pthread_mutex_lock(&truth_lock);
	tell("%s %ld\n", tid, line);
	if (++told == THREADS) {
		tell("%s %ld\n", "chain", chain);
		tell("%s %ld\n", "waiting", waiting);
		tell("%s %ld\n", "child", child);
		tell("%s %ld\n", "urgent", urgent);
		tell("%s %ld\n", "plain", plain);
		tell("%s %ld\n", "made", made);
		tell("%s %ld\n", "begun", begun);
	}
	pthread_mutex_unlock(&truth_lock);
	/* Last: once all have recorded, the program stops. */
	truth_record_as(0, 0, "explicit");
	truth_stop(THREADS);
}

static void parent(void)
{
	begun = 1;
	child = __LINE__ + 1;
#pragma omp task
	leaf(child);
	count();
#pragma omp taskwait
}

static void make(void)
{
	static int order;

	chain = __LINE__ + 2;
	for (int i = 0; i < CHAIN; i++) {
#pragma omp task depend(inout : order)
		leaf(chain);
		count();
	}
	waiting = __LINE__ + 1;
#pragma omp task
	parent();
	count();
	urgent = __LINE__ + 1;
#pragma omp task untied priority(3)
	leaf(urgent);
	count();
	plain = __LINE__ + 2;
	for (int i = 0; i < PLAIN; i++) {
#pragma omp task
		leaf(plain);
		count();
	}
	(void)order;
}

static void make_all(void)
{
	make();
	/* The child of the task that waits is made while others are executed. */
	while (begun && !child)
		usleep(1000);
	settle();
	__atomic_store_n(&all_made, 1, __ATOMIC_SEQ_CST);
#pragma omp taskwait
}

int main(void)
{
	TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(THREADS)
	{
		/* Thread 0, so that it is known whose queue the tasks are in. */
#pragma omp master
		make_all();
#pragma omp barrier
	}
	return 0;
}
