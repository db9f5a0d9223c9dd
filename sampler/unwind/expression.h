/* SPDX-License-Identifier: Apache-2.0
 *
 * DWARF expressions, as call frame information uses them.
 */
#ifndef SAMPLER_EXPRESSION_H
#define SAMPLER_EXPRESSION_H

#include "unwind/bytes.h"
#include "unwind/machine.h"

/* The eight bytes at an address of the stack; false: not to be had. */
struct word_source {
	bool (*read)(void *context, uint64_t address, uint64_t *value);
	void *context;
};

/* first: what is on the expression's stack when it begins; NULL: nothing. false: it cannot be told. */
bool evaluate(struct bytes code, const struct registers *registers, const struct word_source *words,
	      const uint64_t *first, uint64_t *value);

#endif /* SAMPLER_EXPRESSION_H */
