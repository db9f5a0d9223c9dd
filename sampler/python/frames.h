/* SPDX-License-Identifier: Apache-2.0
 *
 * Which frames of Python's has a thread, and which of the interpreter's own executes each?
 */
#ifndef SAMPLER_PYTHON_FRAMES_H
#define SAMPLER_PYTHON_FRAMES_H

#include "python/objects.h"
#include "unwind/unwind.h"

#define PYTHON_RUNS_MAX 256

/* The frames, innermost first, that one call of the interpreter's executes. */
struct python_run {
	uint64_t mark; /* an address within the native frame of that call */
	uint32_t first, count;
};

/* Of one thread, innermost first. */
struct python_stack {
	uint64_t places[FRAMES_MAX];
	struct python_run runs[PYTHON_RUNS_MAX];
	uint32_t place_count, run_count;
};

/* Of a thread's state. false: it cannot be read to its end, or has too many. */
bool python_read_stack(struct python_objects *objects, uint64_t state, struct python_stack *stack);

#endif /* SAMPLER_PYTHON_FRAMES_H */
