/* SPDX-License-Identifier: Apache-2.0
 *
 * A stack as the user wrote the program: a worker's frames stand on the path of the thread that began its region, and in
 * place of the runtime's frames stands the construct.
 */
#ifndef SAMPLER_USER_STACK_H
#define SAMPLER_USER_STACK_H

#include "record/tables.h"

struct user_stacks {
	struct tables *tables;
	const struct threads *threads;
};

/* What is known of a moment of a thread. */
struct moment {
	const struct stack_told *told;
	uint64_t time;
	uint32_t region; /* the innermost; NONE */
	uint32_t team;   /* who began it; NONE: not known */
	uint32_t state;
	uint32_t construct; /* of a wait */
};

/* The number of its stack in the record; NONE: nothing is known of it. */
uint32_t user_stack(const struct user_stacks *stacks, const struct moment *moment);

#endif /* SAMPLER_USER_STACK_H */
