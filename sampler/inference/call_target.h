/* SPDX-License-Identifier: Apache-2.0
 *
 * Which function does the code before a return address call? An entry point that has made way for a function of the
 * runtime's without a name is known by that.
 */
#ifndef SAMPLER_CALL_TARGET_H
#define SAMPLER_CALL_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "target/memory.h"

struct call_target {
	int direct;       /* 1: a fixed address; 0: by pointer, or no call; -1: not known */
	uint64_t address; /* of the function, behind a PLT; 0: not known */
	bool unresolved;  /* the dynamic linker has not looked for it yet: ask again */
};

/* returns: the address to which the call returns. */
struct call_target call_target_read(struct memory *memory, uint64_t returns);

#endif /* SAMPLER_CALL_TARGET_H */
