/* SPDX-License-Identifier: Apache-2.0
 *
 * Who called the function that a thread sleeps in, if that has no frame of its own? On AArch64 it returns to what a register
 * has, which nobody tells of a thread that is not stopped.
 */
#ifndef SAMPLER_LEAF_CALLER_H
#define SAMPLER_LEAF_CALLER_H

#include "target/images.h"

/* Of the stack, from the stack pointer on. */
#define LEAF_CALLER_BYTES 16

/* What was found, of each place. */
struct leaf_callers {
	const struct images *images;
	struct {
		uint64_t pc, outer, returns;
	} known[64];
};

static inline void leaf_callers_forget(struct leaf_callers *callers)
{
	*callers = (struct leaf_callers){.images = callers->images};
}

/* pc: of the thread. false: it is not known. *returns: where the function returns to, or another call of it in the same
 * caller; *outer: where that one returns to. */
bool leaf_caller(struct leaf_callers *callers, uint64_t pc, const uint8_t stack[LEAF_CALLER_BYTES],
		 uint64_t *returns, uint64_t *outer);

#endif /* SAMPLER_LEAF_CALLER_H */
