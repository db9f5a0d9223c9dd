/* SPDX-License-Identifier: Apache-2.0
 *
 * A program of scenarios, one of which is named by the first argument. With a third argument, `guilty', it is what hangs; without,
 * its innocent twin, which has no defect, but the same threads, objects and waits, and goes on for ever.
 * Truth: the file that the second argument names holds a number that is not zero as soon as the program hangs, and for a twin how
 * often it has finished. FILE.truth holds what is the matter: a line "kind KIND", and for each thread that cannot go
 * on "stuck TID", if others only wait for such a one "waits TID", if it is at work "works TID".
 */
#ifndef GUILTY_H
#define GUILTY_H

#include "innocents.h"
#include "settle.h"

#include <stdarg.h>
#include <sys/syscall.h>

enum kind {
	CIRCLE,    /* threads wait for each other */
	FORGOTTEN, /* nobody will give up what they wait for */
	OUTSIDE,   /* what they wait for is the program's own, or somebody else's */
	SPINNING,  /* one is at work for ever, all others wait for it */
};

static int guilty, declared;
static const char *truth_file;
static pthread_mutex_t truth_mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((format(printf, 1, 2))) static inline void record(const char *format, ...)
{
	char path[4096];
	va_list arguments;
	FILE *file;

	va_start(arguments, format);
	pthread_mutex_lock(&truth_mutex);
	snprintf(path, sizeof(path), "%s.truth", truth_file);
	file = fopen(path, "a");
	if (!file)
		abort();
	vfprintf(file, format, arguments);
	fclose(file);
	pthread_mutex_unlock(&truth_mutex);
	va_end(arguments);
}

/* What the calling thread is going to be: the last that it says. */
static inline void declare(const char *what)
{
	if (!guilty)
		return;
	record("%s %ld\n", what, (long)syscall(SYS_gettid));
	__atomic_add_fetch(&declared, 1, __ATOMIC_SEQ_CST);
}

static inline void stuck(void)
{
	declare("stuck");
}

static inline void waits(void)
{
	declare("waits");
}

static inline void until(const int *flag, int value)
{
	while (__atomic_load_n(flag, __ATOMIC_SEQ_CST) < value)
		doze(500);
}

/* So that each of them has the one before it wants the other. A twin needs no such thing. */
static inline void meet(int *count, int threads)
{
	if (!guilty)
		return;
	__atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
	until(count, threads);
}

struct guilty_scenario {
	const char *name;
	void (*run)(void);
	enum kind kind;
	int threads; /* that declare themselves */
};

#define GUILTY(name, kind, threads)                                                                \
	{                                                                                          \
#name, name, kind, threads                                                         \
	}

static inline void *observe(void *scenario)
{
	until(&declared, ((const struct guilty_scenario *)scenario)->threads);
	settle(); /* from a declaration to the wait */
	went_on();
	return NULL;
}

static inline int run_guilty(const struct guilty_scenario *scenario)
{
	static const char *const names[] = {"circle", "forgotten", "outside", "spinning"};
	pthread_t observer;

	record("kind %s\n", names[scenario->kind]);
	pthread_create(&observer, NULL, observe, (void *)scenario);
	pthread_detach(observer);
	scenario->run();
	return 1; /* it did not hang */
}

static inline int run_one(const struct guilty_scenario *scenario, int argc, char **argv)
{
	alarm(LIFE_SECONDS);
	count_in(argv[2]);
	truth_file = argv[2];
	guilty = argc == 4 && strcmp(argv[3], "guilty") == 0;
	if (guilty)
		return run_guilty(scenario);
	FOR_EVER
	{
		scenario->run();
		went_on();
	}
	return 0;
}

#define RUN_ONE(scenarios, argc, argv)                                                             \
	run_one((const struct guilty_scenario *)SCENARIO_NAMED((argc) > 2 ? (argv)[1] : NULL,      \
							       scenarios),                         \
		argc, argv)

#endif /* GUILTY_H */
