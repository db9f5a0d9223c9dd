/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP 6.0, 41.8: display-control variables.
 */
#include "address_space.h"

ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *address_space_handle,
					const char *const **control_vars)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(address_space_handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	return control_vars ? ompd_rc_unsupported : ompd_rc_bad_input;
}

ompd_rc_t ompd_rel_display_control_vars(const char *const **control_vars)
{
	return control_vars && *control_vars ? ompd_rc_unsupported : ompd_rc_bad_input;
}
