/* SPDX-License-Identifier: Apache-2.0
 *
 * The symbols of a file by address.
 */
#ifndef SAMPLER_SYMBOLS_H
#define SAMPLER_SYMBOLS_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t start, size; /* in the process */
	uint64_t reach;       /* where the last ends of all that begin no later */
	const char *name;     /* elfutils' */
	uint32_t order;       /* of two at the same place the higher one is meant */
};

struct symbols {
	struct symbol *all;
	size_t count, capacity;
	bool has_all;
};

void symbols_read(struct symbols *symbols, Dwfl_Module *module);
void symbols_deinit(struct symbols *symbols);

/* Which one is the address in; NULL: in none. */
const struct symbol *symbol_at(const struct symbols *symbols, uint64_t address);

#endif /* SAMPLER_SYMBOLS_H */
