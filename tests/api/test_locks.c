/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks and barriers: what is refused, and that a build whose table of locks cannot be found says so. What they
 * say is compared with the truth in tests/gdb.
 */
#include <string.h>

#include "api_test.h"

static void test_arguments(void **state)
{
	struct session session = session_open("parallel");
	ompdx_lock_variable_t variable = {.size = sizeof(variable)};
	ompdx_locks_t *locks = UNTOUCHED;
	ompdx_arrivals_t *arrivals = UNTOUCHED;

	(void)state;
	assert_rc(ompdx_locks_create(session.handle, NULL, 1, &locks), ompd_rc_bad_input);
	assert_rc(ompdx_locks_create(session.handle, NULL, 0, NULL), ompd_rc_bad_input);
	assert_rc(ompdx_locks_create(session.handle, &variable, UINT64_MAX, &locks),
		  ompd_rc_bad_input);
	variable.size = 8;
	assert_rc(ompdx_locks_create(session.handle, &variable, 1, &locks), ompd_rc_bad_input);
	assert_ptr_equal(locks, UNTOUCHED);
	assert_rc(ompdx_locks_destroy(NULL), ompd_rc_bad_input);
	assert_rc(ompdx_arrivals_create(session.handle, NULL), ompd_rc_bad_input);
	assert_rc(ompdx_arrivals_destroy(NULL), ompd_rc_bad_input);
	assert_rc(ompdx_arrivals_create(NULL, &arrivals), ompd_rc_stale_handle);
	assert_ptr_equal(arrivals, UNTOUCHED);
	session_close(&session);
}

/* The fake has no locks. */
static void test_no_table(void **state)
{
	struct session session = session_open("parallel");
	ompdx_locks_t *locks = UNTOUCHED;

	(void)state;
	assert_rc(ompdx_locks_create(session.handle, NULL, 0, &locks), ompd_rc_unavailable);
	assert_ptr_equal(locks, UNTOUCHED);
	session_close(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_arguments, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_no_table, library_open, library_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
