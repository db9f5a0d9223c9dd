/* SPDX-License-Identifier: Apache-2.0
 *
 * What a stack tells: the state, and which region it is in. The judgement is libompd's; here it is asked.
 */
#ifndef SAMPLER_TELLINGS_H
#define SAMPLER_TELLINGS_H

#include "base/intern.h"
#include "inference/code.h"
#include "inference/sites.h"
#include "unwind/unwind.h"

/* Calls that began regions, one inside of the other, of which so many are told. */
#define FORKS_TOLD 4
#define NO_FORKS                                                                                   \
	{                                                                                          \
		NONE, NONE, NONE, NONE                                                             \
	}

/* Interned: no padding. */
struct stack_told {
	uint64_t
		region; /* where the code of the innermost region begins that is on the stack; 0: none is */
	uint64_t object; /* the lock that it sleeps on; 0 */
	uint32_t stack;  /* its number, NONE: not known */
	uint32_t caller; /* the place that called the runtime for what it waits for; NONE */
	uint32_t forks
		[FORKS_TOLD]; /* the places of this thread's calls that began regions, the innermost first; NONE */
	uint16_t state;    /* a value of ompt_state_t */
	uint8_t wait;      /* ompdx_wait_t */
	uint8_t construct; /* ompdx_construct_t */
	uint8_t doubt;     /* ompdx_doubt_t */
	uint8_t whole;     /* the stack could be followed to its end */
	uint8_t inside;    /* the program's code is on the stack */
	uint8_t in_call;   /* the program's own, of the system */
	uint8_t league;    /* what the first of the forks began is a teams region */
};

/* A stack, from the thread's beginning: what called, and a place. */
struct stack_node {
	uint32_t parent; /* NONE: the outermost */
	uint32_t code;
};

/* Where an entry point of libgomp's calls the code of the region: before it the region begins, behind it it ends. */
struct fork_call {
	uint64_t function, pc;
};

#define FORK_CALLS_MAX 32

/* A region's code that ends by a jump to a function has no frame on the stack, which seems to begin with that one. */
struct body {
	uint64_t function, region; /* where they begin */
};

#define BODIES_MAX 256

struct tellings {
	struct codes *codes;
	struct interner stacks; /* of struct stack_node */
	struct interner told;
	/* What was told of a stack, of threads that did not sleep: number + 1. */
	uint32_t *of_stack;
	size_t of_stack_capacity;
	struct sites sites;
	struct fork_call fork_calls[FORK_CALLS_MAX];
	size_t fork_call_count;
	struct body bodies[BODIES_MAX];
	size_t body_count; /* that were ever put in */
};

void tellings_init(struct tellings *tellings, struct codes *codes, struct memory *memory);
void tellings_deinit(struct tellings *tellings);

/* sleep and facts: of a thread that sleeps; else NULL. NONE: there are too many. */
uint32_t tell(struct tellings *tellings, const struct frames *frames, const ompdx_sleep_t *sleep,
	      const ompdx_facts_t *facts);

static inline const struct stack_told *told_of(const struct tellings *tellings, uint32_t number)
{
	return interned(&tellings->told, number);
}

/* The region with whose function the stack seems to begin: that is one itself, or has been jumped to by one: of several,
 * the `likely' one; 0: not known. */
uint64_t region_told(const struct tellings *tellings, uint64_t function, uint64_t likely);

/* The lock that is waited for, or the critical construct's variable; 0: for none, or it is not known which. */
uint64_t lock_told(struct tellings *tellings, const struct stack_told *told);

#endif /* SAMPLER_TELLINGS_H */
