/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP 6.0, 41.11: the data that an OMPT tool attached.
 */
#include <stddef.h>

#include "address_space.h"
#include "api/scope.h"
#include "runtime/runtime.h"

ompd_rc_t ompd_get_tool_data(void *handle, ompd_scope_t scope, ompd_word_t *value,
			     ompd_address_t *ptr)
{
	struct address_space *space;
	struct entity entity = {0};
	uint64_t data;
	ompd_rc_t rc = scope_find(handle, scope, &space, &entity);

	if (rc != ompd_rc_ok)
		return rc;
	if (!value || !ptr)
		return ompd_rc_bad_input;
	if (!space->runtime->tool_data)
		return ompd_rc_unsupported;
	rc = space->runtime->tool_data(space, scope, entity, &data);
	if (rc != ompd_rc_ok)
		return rc;
	/* One union: what it holds is known to the tool alone. */
	*value = (ompd_word_t)data;
	*ptr = (ompd_address_t){ompd_segment_none, data};
	return ompd_rc_ok;
}
