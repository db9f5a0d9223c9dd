/* SPDX-License-Identifier: Apache-2.0
 *
 * What a runtime has called the program's code for: the frames outside of it tell, whatever its name is.
 */
#ifndef SAMPLER_CALLED_H
#define SAMPLER_CALLED_H

#include "inference/code.h"

enum called {
	CALLED_REGION,
	CALLED_TASK,
	CALLED_FOR_SOMETHING /* else, or it is not known */
};

/* A stack, the innermost frame first. */
struct called_stack {
	const struct codes *codes;
	const uint32_t *frames;
	uint32_t count;
	bool whole;
};

/* A runtime's frame, and the next one is of the program, and calls it to begin a region. It may have made way for another
 * function of the runtime's: the call tells. */
bool begins_region(const struct called_stack *stack, uint32_t frame);

/* The runtime calls it as a region's code, or what has made way for it, by a pointer. The runtime's own calls of the system
 * are not by one. */
bool called_as_region(const struct called_stack *stack, uint32_t frame);

/* frame: of the program, and the next one is a runtime's. */
enum called what_called(const struct called_stack *stack, uint32_t frame);

#endif /* SAMPLER_CALLED_H */
