/* SPDX-License-Identifier: Apache-2.0
 *
 * A stack's frames, from a thread's registers and a copy of its stack's upper part.
 */
#ifndef SAMPLER_UNWIND_H
#define SAMPLER_UNWIND_H

#include "unwind/cfi.h"
#include "unwind/expression.h"
#include "unwind/machine.h"

/* Deeper stacks are cut. */
#define FRAMES_MAX 512

/* Which image's information is about an address; NULL: none. bias: to subtract for the file's address. */
struct cfi_source {
	const struct cfi *(*find)(void *context, uint64_t address, uint64_t *bias);
	void *context;
};

struct unwinder; /* remembers what is told of each place */

struct unwinder *unwinder_create(struct cfi_source source);

/* Who finds where the frame pointer of a function points to, if that is not known: what is behind such a frame counts only
 * if it leads to where the thread began. pc: inside of the function's call. */
struct frame_finder {
	bool (*find)(void *context, uint64_t pc, uint64_t sp, const struct word_source *words,
		     uint64_t *fp);
	void *context;
};

void unwinder_ask(struct unwinder *unwinder, struct frame_finder finder);
void unwinder_destroy(struct unwinder *unwinder);
void unwinder_forget(struct unwinder *unwinder); /* the images have changed */

/* The stack's bytes from `base' on. What lies elsewhere is read by `live', if that is not NULL. */
struct stack_copy {
	const uint8_t *bytes;
	uint64_t base;
	size_t size;
	const struct word_source *live;
};

/* Innermost first. Of a caller, pc lies inside the call: one before its return address. */
struct frames {
	uint64_t pc[FRAMES_MAX];
	uint64_t sp[FRAMES_MAX]; /* the stack pointer there */
	uint32_t count;
	bool whole;  /* to where the thread began */
	bool beyond; /* it goes on where the copy ends: a larger one would tell more */
};

void unwind(struct unwinder *unwinder, struct registers registers, const struct stack_copy *stack,
	    struct frames *frames);

/* The same of what has called a function without a frame, which is at `leaf' and returns to where the registers are. */
void unwind_behind(struct unwinder *unwinder, uint64_t leaf, struct registers registers,
		   const struct stack_copy *stack, struct frames *frames);

#endif /* SAMPLER_UNWIND_H */
