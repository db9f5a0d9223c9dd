/* SPDX-License-Identifier: Apache-2.0
 *
 * A program of our own: it begins when all is ready to sample it.
 */
#ifndef SAMPLER_LAUNCH_H
#define SAMPLER_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

struct launch {
	pid_t pid;
	int go;     /* closing it lets the program begin */
	int answer; /* why it could not be started */
	bool ended;
	int status; /* waitpid's, if it has ended */
};

/* The process is there, and waits. */
void launch_prepare(struct launch *launch, char **program);

/* It begins. Ends the sampler with a sentence if there is no such program. */
void launch_go(struct launch *launch, const char *name);

/* Has it ended? */
bool launch_ended(struct launch *launch);

#endif /* SAMPLER_LAUNCH_H */
