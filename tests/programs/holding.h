/* SPDX-License-Identifier: Apache-2.0
 *
 * What does each thread hold? It keeps account of that, and parks; an observer that is no thread of OpenMP's stops
 * the program.
 * Truth, in OMPD_TRUTH_FILE.holds: a line "TID SCENARIO KIND OBJECT" for each that a thread holds, OBJECT the
 * address of a lock or the name of a critical construct; a line "TID SCENARIO wants OBJECT" for what it waits for, or
 * for nothing.
 */
#ifndef HOLDING_H
#define HOLDING_H

#include "truth.h"

#define APART __attribute__((noinline))
#define MOST_HELD 8

static volatile int zero = 0, one = 1, two = 2, three = 3;
static int declared;

/* What the calling thread holds, by its own account. */
static __thread struct {
	const char *kind;
	const void *object;
} held[MOST_HELD];
static __thread int holds;
static __thread const char *scenario;

APART static void takes(const char *kind, const void *object)
{
	held[holds].kind = kind;
	held[holds++].object = object;
}

APART static void gives(const void *object)
{
	for (int i = 0; i < holds; i++)
		if (held[i].object == object) {
			held[i] = held[--holds];
			return;
		}
	abort();
}

/* wants: a lock that the calling thread is going to wait for. */
APART static void declare(const char *wants)
{
	char path[4096];
	FILE *file;

	pthread_mutex_lock(&truth_lock);
	snprintf(path, sizeof(path), "%s.holds", getenv("OMPD_TRUTH_FILE"));
	file = fopen(path, "a");
	if (!file)
		abort();
	for (int i = 0; i < holds; i++)
		if (strcmp(held[i].kind, "critical") == 0 || strcmp(held[i].kind, "ordered") == 0)
			fprintf(file, "%ld %s %s %s\n", truth_tid(), scenario, held[i].kind,
				(const char *)held[i].object);
		else
			fprintf(file, "%ld %s %s %#lx\n", truth_tid(), scenario, held[i].kind,
				(unsigned long)held[i].object);
	fprintf(file, "%ld %s wants %s\n", truth_tid(), scenario, wants);
	fclose(file);
	pthread_mutex_unlock(&truth_lock);
	__atomic_add_fetch(&declared, 1, __ATOMIC_SEQ_CST);
}

APART static void park(void)
{
	declare("nothing");
	while (!__atomic_load_n(&truth_released, __ATOMIC_SEQ_CST))
		usleep(1000);
}

#define SET(lock) (omp_set_lock(lock), takes("lock", (lock)))
#define UNSET(lock) (gives(lock), omp_unset_lock(lock))

static void *observer(void *parties)
{
	while (__atomic_load_n(&declared, __ATOMIC_SEQ_CST) < *(int *)parties)
		usleep(1000);
	settle();
	truth_write();
	stop_here();
	__atomic_store_n(&truth_released, 1, __ATOMIC_SEQ_CST);
	usleep(10000);
	_exit(0); /* some wait for ever */
	return parties;
}

static void observe(int parties)
{
	static int threads;
	pthread_t thread;

	threads = parties;
	pthread_create(&thread, NULL, observer, &threads);
}

#endif /* HOLDING_H */
