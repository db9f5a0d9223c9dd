/* SPDX-License-Identifier: Apache-2.0
 *
 * Devices other than the host are not supported: the routines for them say so, touch nothing and ask the tool
 * nothing.
 */
#include "api_test.h"

#include <string.h>

static void test_device_initialize(void **state)
{
	struct session session = session_open("tasks");
	ompd_address_space_handle_t *device = UNTOUCHED;
	struct fake_counts counts;
	uint64_t id = 1;

	(void)state;
	fake_counts_reset();
	assert_rc(ompd_device_initialize(session.handle, fake_context(session.target),
					 OMPD_DEVICE_KIND_CUDA, sizeof(id), &id, &device),
		  ompd_rc_unsupported);
	counts = fake_counts();
	assert_int_equal(fake_calls(&counts), 0);
	assert_ptr_equal(device, UNTOUCHED);
	assert_true(noted(session.handle, "device_tells_nothing"));
	assert_rc(ompd_device_initialize(session.handle, fake_context(session.target),
					 OMPD_DEVICE_KIND_HOST, sizeof(id), &id, &device),
		  ompd_rc_unsupported);
	assert_true(noted(session.handle, "device_is_host"));
	session_close(&session);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_device_initialize),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
