/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread's stack with Python's frames in place of the interpreter's. Of a thread that stands still they are read. A sample
 * of one that runs is older than its reading: that is true of it where the thread is in the same call of a construct still,
 * since nothing of its stack outside of that has changed. Else it has the frames that are the same each time that the thread
 * had come to that construct by the same native frames.
 */
#ifndef SAMPLER_PYTHON_STACKS_H
#define SAMPLER_PYTHON_STACKS_H

#include "python/frames.h"
#include "python/interpreter.h"

struct python_thread;

struct python {
	struct images *images;
	struct memory *memory;
	struct interpreter interpreter;
	struct python_objects objects;
	struct python_thread *threads; /* by number */
	size_t thread_count;
};

void python_init(struct python *python, struct images *images, struct memory *memory);
void python_deinit(struct python *python);

/* Has it been met in the thread? */
bool python_has(const struct python *python, uint32_t thread);

/* Of a thread that stands still. The caller shows that it did. false: they stay as they are. */
bool python_lay(struct python *python, uint32_t thread, struct frames *frames);

/* Of a sample; what calls the construct is the frame at `caller', and what is further out is looked at. */
void python_lay_behind(struct python *python, uint32_t thread, uint32_t caller,
		       const struct stack_copy *stack, uint64_t at, struct frames *frames);

#endif /* SAMPLER_PYTHON_STACKS_H */
