/* SPDX-License-Identifier: Apache-2.0
 *
 * An array that grows, in the debugger's memory.
 */
#ifndef TARGET_VECTOR_H
#define TARGET_VECTOR_H

#include <stddef.h>

#include "ompd.h"

struct vector {
	void *items;
	size_t item_size; /* set by whoever makes the vector; all else zero */
	size_t count;
	size_t capacity;
};

/* Makes room for `more` items behind the last, zeroed, and *ret the first of them. Pointers to items are
 * valid until the next call. nomem; or when there would be more than `limit` items in all. */
ompd_rc_t vector_add(struct vector *vector, size_t more, size_t limit, void **ret);

void *vector_at(const struct vector *vector, size_t index);
void vector_deinit(struct vector *vector);

#endif /* TARGET_VECTOR_H */
