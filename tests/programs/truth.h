/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a program under test know of itself? Every thread records what omp_get_*() answers it, then
 * parks; when all have, one thread writes the record as JSON and calls stop_here(), where a debugger looks.
 *
 * Environment: OMPD_TRUTH_FILE  where the record goes (renamed into place, so it is there at once or not)
 *              OMPD_TRUTH_STOP  what stop_here() does: nothing (the default), "park", or "abort"
 */
#ifndef TRUTH_H
#define TRUTH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <omp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "settle.h"

#define TRUTH_MAX_THREADS 1024
#define TRUTH_MAX_LEVELS 16
#define TRUTH_LIFE_SECONDS 900 /* what outlives its test must not stay, on the busiest machine */

/* What a thread asks omp_get_NAME() for: values of ICVs. */
#define TRUTH_SETTINGS(SETTING)                                                                    \
	SETTING(proc_bind)                                                                         \
	SETTING(place_num)                                                                         \
	SETTING(max_threads)                                                                       \
	SETTING(dynamic)                                                                           \
	SETTING(max_active_levels)                                                                 \
	SETTING(thread_limit)                                                                      \
	SETTING(default_device)                                                                    \
	SETTING(cancellation)                                                                      \
	SETTING(num_procs)                                                                         \
	SETTING(max_task_priority)

struct truth_record {
	const char
		*kind; /* "openmp", "idle": was in a region earlier, "native": never used OpenMP */
	long tid;
	unsigned long pthread;
	int root;   /* which root thread its regions go back to */
	int league; /* the num_teams of the teams region that it is in, 0: in none */
	const char *task;
	int final, thread_num, level, active_level, num_threads, in_parallel, num_teams, team_num;
	int ancestors[TRUTH_MAX_LEVELS], sizes[TRUTH_MAX_LEVELS];
	int schedule_kind, schedule_chunk;
#define SETTING(name) int name;
	TRUTH_SETTINGS(SETTING)
#undef SETTING
};

static struct truth_record truth_records[TRUTH_MAX_THREADS];
static int truth_count;    /* used records */
static int truth_recorded; /* threads that have recorded since truth_begin() */
static int truth_stopping, truth_released;
static const char *truth_source = __BASE_FILE__;
static int truth_lines[TRUTH_MAX_LEVELS]; /* of the construct that began the regions of a level */
static long truth_roots[TRUTH_MAX_LEVELS];
static pthread_mutex_t truth_lock = PTHREAD_MUTEX_INITIALIZER;

/* The construct behind this line begins all regions of the level. */
#define TRUTH_CONSTRUCT(level) (truth_lines[level] = __LINE__ + 1)

static inline long truth_tid(void)
{
	return syscall(SYS_gettid);
}

/* A line of a program's own in OMPD_TRUTH_FILE.suffix. */
__attribute__((format(printf, 2, 3))) static inline void truth_append(const char *suffix,
								      const char *format, ...)
{
	char path[4096];
	va_list arguments;
	FILE *file;

	va_start(arguments, format);
	pthread_mutex_lock(&truth_lock);
	snprintf(path, sizeof(path), "%s.%s", getenv("OMPD_TRUTH_FILE"), suffix);
	file = fopen(path, "a");
	if (!file)
		abort();
	vfprintf(file, format, arguments);
	fclose(file);
	pthread_mutex_unlock(&truth_lock);
	va_end(arguments);
}

static inline void truth_store(struct truth_record now)
{
	int i;

	now.tid = truth_tid();
	now.pthread = (unsigned long)pthread_self();
	pthread_mutex_lock(&truth_lock);
	for (i = 0; i < truth_count && truth_records[i].tid != now.tid; i++)
		;
	if (i == TRUTH_MAX_THREADS)
		abort();
	if (i == truth_count)
		truth_count++;
	truth_records[i] = now;
	if (strcmp(now.kind, "idle") != 0)
		__atomic_add_fetch(&truth_recorded, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&truth_lock);
}

/* This thread is in a region now, and may be in none when the program stops. */
static inline void truth_seen(void)
{
	struct truth_record now;

	memset(&now, 0, sizeof(now));
	now.kind = "idle";
	truth_store(now);
}

/* This thread never calls OpenMP. */
static inline void truth_record_native(void)
{
	struct truth_record now;

	memset(&now, 0, sizeof(now));
	now.kind = "native";
	truth_store(now);
}

/* The calling thread is a root thread: its regions are known by this number. */
static inline void truth_root(int root)
{
	truth_roots[root] = truth_tid();
}

static inline void truth_ask_settings(struct truth_record *now)
{
	omp_sched_t kind;

	omp_get_schedule(&kind, &now->schedule_chunk);
	now->schedule_kind = (int)kind;
#define SETTING(name) now->name = (int)omp_get_##name();
	TRUTH_SETTINGS(SETTING)
#undef SETTING
}

static inline void truth_record_as(int root, int league, const char *task)
{
	struct truth_record now;
	int level;

	memset(&now, 0, sizeof(now));
	now.kind = "openmp";
	now.root = root;
	now.league = league;
	now.task = task;
	now.final = omp_in_final();
	now.thread_num = omp_get_thread_num();
	now.level = omp_get_level();
	now.active_level = omp_get_active_level();
	now.num_threads = omp_get_num_threads();
	now.in_parallel = omp_in_parallel();
	now.num_teams = omp_get_num_teams();
	now.team_num = omp_get_team_num();
	if (now.level >= TRUTH_MAX_LEVELS)
		abort();
	for (level = 0; level <= now.level; level++) {
		now.ancestors[level] = omp_get_ancestor_thread_num(level);
		now.sizes[level] = omp_get_team_size(level);
	}
	truth_ask_settings(&now);
	truth_store(now);
}

static inline void truth_record(void)
{
	truth_record_as(0, 0, omp_get_level() > 0 ? "implicit" : "initial");
}

static inline void truth_write_record(FILE *file, const struct truth_record *r)
{
	int level;

	fprintf(file, "  {\"kind\": \"%s\", \"tid\": %ld, \"pthread\": \"%#lx\"", r->kind, r->tid,
		r->pthread);
	if (strcmp(r->kind, "openmp") == 0) {
		fprintf(file, ", \"root\": %d, \"league\": %d, \"task\": \"%s\", \"final\": %s,\n",
			r->root, r->league, r->task, r->final ? "true" : "false");
		fprintf(file, "   \"thread_num\": %d, \"level\": %d, \"active_level\": %d,",
			r->thread_num, r->level, r->active_level);
		fprintf(file, " \"num_threads\": %d, \"in_parallel\": %s,", r->num_threads,
			r->in_parallel ? "true" : "false");
		fprintf(file, " \"num_teams\": %d, \"team_num\": %d,\n", r->num_teams, r->team_num);
		fprintf(file, "   \"ancestors\": [");
		for (level = 0; level <= r->level; level++)
			fprintf(file, "%s%d", level ? ", " : "", r->ancestors[level]);
		fprintf(file, "], \"sizes\": [");
		for (level = 0; level <= r->level; level++)
			fprintf(file, "%s%d", level ? ", " : "", r->sizes[level]);
		fprintf(file, "],\n   \"schedule_kind\": %d, \"schedule_chunk\": %d",
			r->schedule_kind, r->schedule_chunk);
#define SETTING(name) fprintf(file, ", \"" #name "\": %d", r->name);
		TRUTH_SETTINGS(SETTING)
#undef SETTING
	}
	fprintf(file, "}");
}

static inline void truth_write(void)
{
	const char *path = getenv("OMPD_TRUTH_FILE");
	const char *base = strrchr(truth_source, '/');
	char unfinished[4096];
	FILE *file;
	int i;

	if (!path) {
		fprintf(stderr, "set OMPD_TRUTH_FILE to where the record shall go\n");
		exit(2);
	}
	snprintf(unfinished, sizeof(unfinished), "%s.new", path);
	file = fopen(unfinished, "w");
	if (!file) {
		perror(unfinished);
		exit(2);
	}
	fprintf(file, "{\"pid\": %d, \"source\": \"%s\",\n", (int)getpid(),
		base ? base + 1 : truth_source);
	fprintf(file, " \"roots\": {\"0\": %d", (int)getpid());
	for (i = 1; i < TRUTH_MAX_LEVELS; i++)
		if (truth_roots[i])
			fprintf(file, ", \"%d\": %ld", i, truth_roots[i]);
	fprintf(file, "},\n \"construct_lines\": [");
	for (i = 0; i < TRUTH_MAX_LEVELS; i++)
		fprintf(file, "%s%d", i ? ", " : "", truth_lines[i]);
	fprintf(file, "],\n \"threads\": [\n");
	for (i = 0; i < truth_count; i++) {
		truth_write_record(file, &truth_records[i]);
		fprintf(file, "%s\n", i + 1 < truth_count ? "," : "");
	}
	fprintf(file, " ]}\n");
	if (fclose(file) != 0 || rename(unfinished, path) != 0) {
		perror(path);
		exit(2);
	}
}

/* Where a debugger stops the program. */
__attribute__((noinline)) static void stop_here(void)
{
	const char *wish = getenv("OMPD_TRUTH_STOP");

	alarm(TRUTH_LIFE_SECONDS);
	if (wish && strcmp(wish, "abort") == 0)
		abort();
	while (wish && strcmp(wish, "park") == 0)
		pause();
}

/* Forget who is where before the next stop: whoever does not record again is idle then. */
static inline void truth_begin(void)
{
	int i;

	for (i = 0; i < truth_count; i++)
		if (strcmp(truth_records[i].kind, "openmp") == 0)
			truth_records[i].kind = "idle";
	__atomic_store_n(&truth_recorded, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&truth_stopping, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&truth_released, 0, __ATOMIC_SEQ_CST);
}

/* Stay here until the stop is over. The first to come stops the program, once `parties` have recorded. */
static inline void truth_stop(int parties)
{
	if (__atomic_exchange_n(&truth_stopping, 1, __ATOMIC_SEQ_CST) == 0) {
		while (__atomic_load_n(&truth_recorded, __ATOMIC_SEQ_CST) < parties)
			usleep(1000);
		truth_write();
		stop_here();
		__atomic_store_n(&truth_released, 1, __ATOMIC_SEQ_CST);
	}
	while (!__atomic_load_n(&truth_released, __ATOMIC_SEQ_CST))
		usleep(10000);
}

#endif /* TRUTH_H */
