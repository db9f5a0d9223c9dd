/* SPDX-License-Identifier: Apache-2.0
 *
 * A program of scenarios that go on for ever, one of which is named by the first argument.
 * Truth, in the file that the second argument names: how often anything was finished. It grows until somebody
 * stops the program.
 */
#ifndef INNOCENTS_H
#define INNOCENTS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "scenarios.h"

#define SHORT 200 /* turns of a loop: less than a microsecond */
#define LONG 40000

static unsigned long *rounds;
static __thread unsigned long seed;

static inline void went_on(void)
{
	__atomic_add_fetch(rounds, 1, __ATOMIC_RELAXED);
}

static inline unsigned long some(unsigned long most)
{
	if (!seed)
		seed = (unsigned long)pthread_self() >> 6;
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % most;
}

static inline void work(unsigned long most)
{
	for (volatile unsigned long i = some(most + 1); i; i--)
		;
}

static inline void doze(long microseconds)
{
	const struct timespec wish = {0, microseconds * 1000};

	nanosleep(&wish, NULL);
}

struct scenario {
	const char *name;
	void (*run)(void);
};

#define SCENARIO(name)                                                                             \
	{                                                                                          \
#name, name                                                                        \
	}

static inline void count_in(const char *path)
{
	const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
	void *found;

	if (file < 0 || ftruncate(file, sizeof(*rounds)) != 0)
		abort();
	found = mmap(NULL, sizeof(*rounds), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (found == MAP_FAILED)
		abort();
	close(file);
	rounds = (unsigned long *)found;
}

static inline int go_on_for_ever(const struct scenario *scenario, const char *file)
{
	alarm(LIFE_SECONDS);
	count_in(file);
	scenario->run();
	return 2; /* it came to an end */
}

#define GO_ON_FOR_EVER(scenarios, argc, argv)                                                      \
	go_on_for_ever((const struct scenario *)SCENARIO_NAMED((argc) == 3 ? (argv)[1] : NULL,     \
							       scenarios),                         \
		       (argv)[2])

#endif /* INNOCENTS_H */
