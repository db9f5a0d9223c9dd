/* SPDX-License-Identifier: Apache-2.0
 *
 * A sleeping thread's stack as it was met last: as long as all words are the same that led from frame to frame, its frames
 * are. To see that takes one read, and nothing is unwound.
 */
#ifndef SAMPLER_KNOWN_STACK_H
#define SAMPLER_KNOWN_STACK_H

#include "target/memory.h"

/* More are not remembered. */
#define KNOWN_WORDS_MAX 128

struct stack_word {
	uint64_t address, value;
};

struct known_stack {
	uint64_t sp, pc;
	uint64_t images;          /* by which state of what is mapped it was unwound */
	struct stack_word *words; /* by address */
	uint64_t *frames;         /* their places, innermost first, to where the thread began */
	uint32_t word_count, frame_count; /* 0: none is known */
};

/* Are its frames still the same? */
bool known_stack_holds(const struct known_stack *known, uint64_t sp, uint64_t pc, uint64_t images,
		       struct memory *memory);

/* A whole one, that was unwound by these words alone. */
void known_stack_keep(struct known_stack *known, struct known_stack stack);

void known_stack_forget(struct known_stack *known);

#endif /* SAMPLER_KNOWN_STACK_H */
