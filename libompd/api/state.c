/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP 6.0, 41.7: thread states.
 */
#include "address_space.h"

ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *address_space_handle,
				ompd_word_t current_state, ompd_word_t *next_state,
				const char **next_state_name, ompd_word_t *more_enums)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(address_space_handle, HANDLE_SPACE, &space, NULL);

	(void)current_state;
	if (rc != ompd_rc_ok)
		return rc;
	return next_state && next_state_name && more_enums ? ompd_rc_unsupported
							   : ompd_rc_bad_input;
}

ompd_rc_t ompd_get_state(ompd_thread_handle_t *thread_handle, ompd_word_t *state,
			 ompd_wait_id_t *wait_id)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(thread_handle, HANDLE_THREAD, &space, NULL);

	(void)wait_id;
	if (rc != ompd_rc_ok)
		return rc;
	return state ? ompd_rc_unsupported : ompd_rc_bad_input;
}
