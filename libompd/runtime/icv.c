/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/icv.h"

#include <string.h>

#include "target/limits.h"

void icv_value_init(struct icv_value *value)
{
	memset(value, 0, sizeof(*value));
	value->further.item_size = sizeof(ompd_word_t);
	value->text.item_size = 1;
}

void icv_value_deinit(struct icv_value *value)
{
	vector_deinit(&value->further);
	vector_deinit(&value->text);
}

ompd_rc_t icv_value_add_item(struct icv_value *value, ompd_word_t number)
{
	void *item;
	const ompd_rc_t rc = vector_add(&value->further, 1, ICV_ITEMS_MAX, &item);

	if (rc == ompd_rc_ok)
		*(ompd_word_t *)item = number;
	return rc;
}

ompd_rc_t icv_value_add_text(struct icv_value *value, const char *text)
{
	const size_t length = strlen(text);
	void *room;
	ompd_rc_t rc;

	if (length == 0)
		return ompd_rc_ok;
	rc = vector_add(&value->text, length, ICV_TEXT_MAX, &room);
	if (rc == ompd_rc_ok)
		memcpy(room, text, length);
	return rc;
}
