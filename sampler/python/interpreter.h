/* SPDX-License-Identifier: Apache-2.0
 *
 * Is there a CPython in the process, and which? `_PyRuntime' is exported by every build.
 */
#ifndef SAMPLER_PYTHON_INTERPRETER_H
#define SAMPLER_PYTHON_INTERPRETER_H

#include "python/layouts.h"
#include "target/images.h"

struct interpreter {
	const struct image *image; /* NULL: there is none, or none that is known */
	uint64_t runtime;          /* the address of _PyRuntime */
	struct python_layout layout;
	bool is_settled; /* nothing else will be found in what is mapped now */
};

/* What is mapped has changed: there may be another one. */
void interpreter_look(struct interpreter *interpreter);

/* Unless that is settled: one that has not begun is found later. */
void interpreter_find(struct interpreter *interpreter, const struct images *images,
		      struct memory *memory);

/* What the interpreters keep of threads: as many as there is room for. Returns how many. */
uint32_t interpreter_states(const struct interpreter *interpreter, struct memory *memory,
			    uint64_t *states, uint32_t most);

#endif /* SAMPLER_PYTHON_INTERPRETER_H */
