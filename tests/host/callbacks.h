/* SPDX-License-Identifier: Apache-2.0
 *
 * What the debugger does for the OMPD library, and what that cost.
 */
#ifndef HOST_CALLBACKS_H
#define HOST_CALLBACKS_H

#include <ompd.h>
#include <stdint.h>

struct costs {
	uint64_t reads, bytes, strings, writes;
	uint64_t symbols, symbols_not_found;
	uint64_t allocations, frees, bad_frees, live_allocations;
	uint64_t conversions, sizes, contexts, texts;
};

extern const ompd_callbacks_t callbacks;
extern struct costs costs;

/* Frees what the library allocated for the tool. */
void free_of_library(const void *block);

#endif /* HOST_CALLBACKS_H */
