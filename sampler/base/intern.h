/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for things: the same bytes always have the same number, counted from 0.
 */
#ifndef SAMPLER_INTERN_H
#define SAMPLER_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NONE UINT32_MAX

/* No table grows beyond this: what does not fit is told as not known. */
#define INTERNED_MAX (UINT32_C(1) << 22)

struct interner {
	size_t size; /* of a key; a key has no padding that is not zero */
	uint8_t *keys;
	size_t capacity;
	uint32_t count;
	uint32_t *slots; /* number + 1; 0: free */
	size_t slot_count;
};

void interner_init(struct interner *interner, size_t size);
void interner_deinit(struct interner *interner);

/* NONE: the table is full. is_new may be NULL. */
uint32_t intern(struct interner *interner, const void *key, bool *is_new);
const void *interned(const struct interner *interner, uint32_t number);

#endif /* SAMPLER_INTERN_H */
