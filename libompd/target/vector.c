/* SPDX-License-Identifier: Apache-2.0 */
#include "target/vector.h"

#include <string.h>

#include "target/callbacks.h"

ompd_rc_t vector_add(struct vector *vector, size_t more, size_t limit, void **ret)
{
	if (more > limit || vector->count > limit - more)
		return ompd_rc_nomem;
	if (vector->count + more > vector->capacity) {
		const size_t doubled = vector->capacity ? vector->capacity * 2 : 32;
		const size_t needed = vector->count + more;
		const size_t capacity = doubled > needed ? doubled : needed;
		void *items = NULL;
		const ompd_rc_t rc = callback_alloc(capacity, vector->item_size, &items);

		if (rc != ompd_rc_ok)
			return rc;
		if (vector->count)
			memcpy(items, vector->items, vector->count * vector->item_size);
		callback_free(vector->items);
		vector->items = items;
		vector->capacity = capacity;
	}
	*ret = vector_at(vector, vector->count);
	vector->count += more;
	return ompd_rc_ok;
}

void *vector_at(const struct vector *vector, size_t index)
{
	return (char *)vector->items + index * vector->item_size;
}

void vector_deinit(struct vector *vector)
{
	callback_free(vector->items);
	memset(vector, 0, sizeof(*vector));
}
