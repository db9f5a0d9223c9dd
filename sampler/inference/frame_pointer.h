/* SPDX-License-Identifier: Apache-2.0
 *
 * Where does a function's frame pointer point to, of which only the stack pointer is known? The kernel tells no more of a
 * thread that sleeps. The function's beginning tells how far it moves the stack.
 */
#ifndef SAMPLER_FRAME_POINTER_H
#define SAMPLER_FRAME_POINTER_H

#include "target/images.h"
#include "unwind/expression.h"

/* Of a function that keeps its frame's address. */
struct frame_size {
	uint32_t least; /* bytes from the stack pointer up to where the frame pointer points */
	uint32_t more;  /* that there may be beside them, to align the stack */
	bool known;
};

#define FRAME_PLACES 64

/* What was found, of each place. */
struct frame_pointers {
	const struct images *images;
	struct frame_place {
		uint64_t pc, function;
		struct frame_size size;
	} known[FRAME_PLACES];
};

static inline void frame_pointers_forget(struct frame_pointers *pointers)
{
	*pointers = (struct frame_pointers){.images = pointers->images};
}

/* For a struct frame_finder. pc: inside of a call that the function has made. */
bool frame_pointer_find(void *pointers, uint64_t pc, uint64_t sp, const struct word_source *words,
			uint64_t *fp);

#endif /* SAMPLER_FRAME_POINTER_H */
