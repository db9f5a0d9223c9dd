/* SPDX-License-Identifier: Apache-2.0
 *
 * What do the frames of a stack say of its thread? Nothing here knows the thread's regions.
 */
#ifndef INFERENCE_STACK_H
#define INFERENCE_STACK_H

#include <stdbool.h>

#include "ompd-ext.h"

#define NO_FRAME UINT32_MAX

/* The runtime as seen on a stack. */
struct call {
	uint32_t runtime; /* whose code is on top, below the C library; UINT32_MAX: nobody's */
	ompdx_runtime_kind_t kind;
	const ompdx_function_t
		*entry; /* that the program called, or that tells more; NULL: called by no code */
	uint32_t entry_frame; /* that tells it */
	bool by_call;         /* by what it calls */
	uint32_t caller;      /* the program's frame that called it, or that is on top */
	uint32_t
		outermost; /* the runtime's frame that the program called, or that its thread began with */
	bool by_clang; /* the caller is code of a construct, by a name that only clang gives */
	bool known;    /* false: the stack ends before that */
	bool begins;   /* it is in the part of such a call that begins the region */
	bool creates_thread; /* it is in a call of the C library's, for the runtime */
	bool starts;         /* it has not come to its own code yet */
	bool launched;       /* it has come to the runtime's, and no further */
	bool in_system;      /* the entry point has called the C library, as those that wait do */
	bool sleeps;         /* in what is called only while a thread has to wait */
	bool directly;       /* the runtime calls the code of regions itself */
	bool hidden; /* the code of its region made way for what it called last: that is not known */
	uint32_t asks; /* OMPDX_ASKS_... */
};

/* Of any stack. */
void stack_read(const ompdx_stack_t *stack, struct call *ret);

/* Has it called what begins a region, and ends it? */
bool call_forks(const struct call *call);

/* Calls that begin regions on the whole stack; -1: not known. */
int64_t stack_forks(const ompdx_stack_t *stack);

/* From the caller on, the frames of the program's own code. */
struct outward {
	uint32_t count;   /* 0: that was not looked at, or there is none */
	uint32_t entered; /* how many are of the function */
	bool known;       /* of each it is known where its function begins */
};

struct outward stack_outward(const ompdx_stack_t *stack, const struct call *call,
			     ompd_addr_t function);

/* Whether something further out is a runtime's, or a construct's code, which programs of GCC 4.8 call themselves. */
bool stack_is_inside(const ompdx_stack_t *stack, const struct call *call);

/* Without what ends as the beginnings of names do: those wait only at times. */
bool function_waits(const ompdx_function_t *function);

/* At the end of which one it waits. Tools of an earlier version do not pass on that. */
ompdx_construct_t function_construct(const ompdx_function_t *function);

#endif /* INFERENCE_STACK_H */
