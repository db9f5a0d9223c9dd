/* SPDX-License-Identifier: Apache-2.0 */
#include "api/answer.h"

#include <string.h>

#include "target/callbacks.h"

ompd_rc_t answer_string(const char *text, const char **ret)
{
	const size_t size = strlen(text) + 1;
	void *copy = NULL;
	const ompd_rc_t rc = callback_alloc(1, size, &copy);

	if (rc != ompd_rc_ok)
		return rc;
	memcpy(copy, text, size);
	*ret = copy;
	return ompd_rc_ok;
}
