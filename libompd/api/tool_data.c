/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP 6.0, 41.10: the data that an OMPT tool attached.
 */
#include <stddef.h>

#include "api/scope.h"

ompd_rc_t ompd_get_tool_data(void *handle, ompd_scope_t scope, ompd_word_t *value,
			     ompd_address_t *ptr)
{
	struct address_space *space;
	const ompd_rc_t rc = scope_find(handle, scope, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	return value && ptr ? ompd_rc_unsupported : ompd_rc_bad_input;
}
