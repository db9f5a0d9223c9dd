/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line.
 */
#ifndef SAMPLER_OPTIONS_H
#define SAMPLER_OPTIONS_H

#include <stdbool.h>
#include <sys/types.h>

enum clock_kind { CLOCK_BEST, CLOCK_PERF, CLOCK_STOPS, CLOCK_MEMORY };

struct options {
	pid_t pid;        /* 0: a program is to be started */
	char **program;   /* with its arguments; NULL: none */
	const char *file; /* NULL: none */
	int fd;
	double seconds; /* 0: until it ends */
	double rate, budget, flush;
	enum clock_kind clock;
};

/* Ends the sampler with a sentence where they are wrong. */
void options_read(int argc, char **argv, struct options *options);

#endif /* SAMPLER_OPTIONS_H */
