/* SPDX-License-Identifier: Apache-2.0
 *
 * What libompd asks of a debugger, of a process that runs.
 */
#ifndef SAMPLER_DEBUGGER_H
#define SAMPLER_DEBUGGER_H

#include <ompd-ext.h>

#include "target/images.h"
#include "target/memory.h"
#include "target/process.h"

struct debugger {
	const struct process *process;
	struct memory *memory;
	uint64_t r_debug; /* the dynamic linker's list; 0: not found (yet) */
	/* A symbol that libompd cannot find by itself: of a runtime that is linked into the program. 0: none. */
	uint64_t (*find_symbol)(void *context, const char *name);
	void *context;
};

/* libompd knows one debugger, of which the functions are; context is told apart by it. */
const ompd_callbacks_t *debugger_callbacks(void);

static inline ompd_address_space_context_t *debugger_context(struct debugger *debugger)
{
	return (ompd_address_space_context_t *)debugger;
}

/* Looks where the dynamic linker's list is: it is there only when the process has begun. */
void debugger_find_link_map(struct debugger *debugger);

#endif /* SAMPLER_DEBUGGER_H */
