/* SPDX-License-Identifier: Apache-2.0
 *
 * phases SEED SECONDS FILE [THREADS [twin]]: regions whose phases are drawn from the seed, until SIGTERM at the latest.
 * Each thread notes when it began what, by the clock and by its own time on a processor, and at the ends of phases how
 * long it has waited for one; the file is written at the end. twin: the same work without waits.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 256
#define NOTES_MAX 400000

enum state { SERIAL, WORK, EXPLICIT, WORKSHARE, CRITICAL, BETWEEN, STATES };
static const char *const names[STATES] = {"serial",    "work",     "explicit",
					  "workshare", "critical", "between"};

struct note {
	int64_t time, processor, delay; /* delay -1: not read */
	int state;
};
static struct note *notes[THREADS_MAX];
static long count[THREADS_MAX], lwp[THREADS_MAX];
static int schedule[THREADS_MAX]; /* descriptors */
static int threads, is_twin;
static volatile sig_atomic_t ends;

static void on_end(int number)
{
	(void)number;
	ends = 1;
}

static int64_t ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void note(int thread, enum state state)
{
	if (count[thread] < NOTES_MAX)
		notes[thread][count[thread]++] = (struct note){
			ns(CLOCK_MONOTONIC), ns(CLOCK_THREAD_CPUTIME_ID), -1, (int)state};
}

/* What the kernel has counted of it until now. */
static void note_delay(int thread)
{
	char text[96] = "";
	long long delay = -1;

	if (pread(schedule[thread], text, sizeof text - 1, 0) > 0)
		sscanf(text, "%*s %lld", &delay);
	if (count[thread])
		notes[thread][count[thread] - 1].delay = delay;
}

static void begin(int thread)
{
	if (lwp[thread])
		return;
	char path[64];

	lwp[thread] = syscall(SYS_gettid);
	snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", lwp[thread]);
	schedule[thread] = open(path, O_RDONLY);
	notes[thread] = malloc(NOTES_MAX * sizeof *notes[thread]);
}

static uint64_t random_state;

static double drawn(double least, double most)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return least + (most - least) * (double)(random_state >> 33) / (double)(UINT64_C(1) << 31);
}

/* So much of its own time on a processor. */
__attribute__((noinline)) static void work(double seconds)
{
	int64_t until = ns(CLOCK_THREAD_CPUTIME_ID) + (int64_t)(seconds * 1e9);
	volatile int turns = 0;

	while (ns(CLOCK_THREAD_CPUTIME_ID) < until)
		for (int i = 0; i < 2000; i++)
			turns = turns + 1;
}

/* One kind of wait after work of different lengths. */
__attribute__((noinline)) static void phase(int kind, const double *length)
{
	int me = omp_get_thread_num();

	if (kind == 0) {
		work(length[me]);
		if (!is_twin) {
			note(me, EXPLICIT);
#pragma omp barrier
		}
	} else if (kind == 1 && !is_twin) {
#pragma omp for schedule(static, 1)
		for (int i = 0; i < threads; i++) {
			work(length[i]);
			note(me, WORKSHARE);
		}
	} else if (kind == 2 && !is_twin) {
		note(me, CRITICAL);
#pragma omp critical(turn)
		{
			note(me, WORK);
			work(length[me]);
		}
	} else {
		work(length[me]);
	}
	note(me, WORK);
	note_delay(me);
}

static void round_of_phases(void)
{
	int kinds[4];
	double lengths[4][THREADS_MAX];

	for (int i = 0; i < 4; i++) {
		kinds[i] = (int)drawn(0, 3);
		for (int k = 0; k < threads; k++)
			lengths[i][k] = drawn(0.0002, 0.004);
	}
	/* What a region costs at its beginning, too: libgomp's threads meet there. */
	note(0, BETWEEN);
#pragma omp parallel num_threads(threads)
	{
		int me = omp_get_thread_num();

		begin(me);
		note(me, WORK);
		for (int i = 0; i < 4; i++)
			phase(kinds[i], lengths[i]);
		note(me, BETWEEN);
	}
	note(0, SERIAL);
	work(drawn(0.0002, 0.002));
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	random_state = strtoull(argv[1], NULL, 10);
	threads = argc > 4 ? atoi(argv[4]) : 2;
	is_twin = argc > 5;
	if (threads < 1 || threads > THREADS_MAX)
		return 2;
	signal(SIGTERM, on_end);
	int64_t end = ns(CLOCK_MONOTONIC) + (int64_t)(atof(argv[2]) * 1e9);

	begin(0);
	note(0, SERIAL);
	while (!ends && ns(CLOCK_MONOTONIC) < end)
		round_of_phases();
	FILE *file = fopen(argv[3], "w");

	for (int i = 0; i < threads; i++)
		for (long k = 0; k < count[i]; k++)
			fprintf(file, "%ld %lld %lld %s %lld\n", lwp[i],
				(long long)notes[i][k].time, (long long)notes[i][k].processor,
				names[notes[i][k].state], (long long)notes[i][k].delay);
	fclose(file);
	return 0;
}
