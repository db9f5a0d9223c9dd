/* SPDX-License-Identifier: Apache-2.0
 *
 * Routines that this library does not answer yet: they say so, touch nothing and ask the tool nothing.
 * A routine leaves this file on the day on which it is implemented.
 */
#include "api_test.h"

static void test_unsupported(void **state)
{
	struct session session = session_open("tasks");
	struct fake_thread *truth = fake_omp_thread(session.omp, 1);
	ompd_thread_handle_t *thread = thread_handle(&session, truth);
	ompd_parallel_handle_t *region = region_handle(&session, truth);
	ompd_task_handle_t *task = task_handle(&session, truth);
	ompd_task_handle_t *other = UNTOUCHED;
	ompd_address_space_handle_t *device = UNTOUCHED;
	ompd_address_t address = {77, 77};
	ompd_frame_info_t exit_frame = {{77, 77}, 77}, enter_frame = exit_frame;
	ompd_word_t word = 77, more = 77;
	ompd_wait_id_t wait_id = 77;
	const char *text = UNTOUCHED;
	const char *const *texts = UNTOUCHED;
	ompd_thread_id_t *kinds = UNTOUCHED;
	ompd_size_t *sizes = UNTOUCHED;
	struct fake_counts counts;
	uint64_t id = 1;
	int count = 77;

	(void)state;
	fake_counts_reset();
	assert_rc(ompd_device_initialize(session.handle, fake_context(session.target),
					 OMPD_DEVICE_KIND_CUDA, sizeof(id), &id, &device),
		  ompd_rc_unsupported);
	assert_rc(ompd_get_device_thread_id_kinds(session.handle, &kinds, &sizes, &count),
		  ompd_rc_unsupported);
	assert_rc(ompd_get_generating_task_handle(task, &other), ompd_rc_unsupported);
	assert_rc(ompd_get_scheduling_task_handle(task, &other), ompd_rc_unsupported);
	assert_rc(ompd_get_task_function(task, &address), ompd_rc_unsupported);
	assert_rc(ompd_get_task_frame(task, &exit_frame, &enter_frame), ompd_rc_unsupported);
	assert_rc(ompd_enumerate_states(session.handle, 0x102, &word, &text, &more),
		  ompd_rc_unsupported);
	assert_rc(ompd_get_state(thread, &word, &wait_id), ompd_rc_unsupported);
	assert_rc(ompd_get_state(thread, &word, NULL), ompd_rc_unsupported);
	assert_rc(ompd_get_display_control_vars(session.handle, &texts), ompd_rc_unsupported);
	assert_rc(ompd_get_icv_string_from_scope(region, ompd_scope_parallel, 1, &text),
		  ompd_rc_unsupported);
	assert_rc(ompd_get_tool_data(thread, ompd_scope_thread, &word, &address),
		  ompd_rc_unsupported);

	counts = fake_counts();
	assert_int_equal(fake_calls(&counts), 0);
	assert_ptr_equal(device, UNTOUCHED);
	assert_ptr_equal(kinds, UNTOUCHED);
	assert_ptr_equal(sizes, UNTOUCHED);
	assert_ptr_equal(other, UNTOUCHED);
	assert_ptr_equal(text, UNTOUCHED);
	assert_ptr_equal(texts, UNTOUCHED);
	assert_int_equal(address.address, 77);
	assert_int_equal(exit_frame.frame_flag, 77);
	assert_int_equal(enter_frame.frame_flag, 77);
	assert_int_equal(word, 77);
	assert_int_equal(more, 77);
	assert_int_equal(wait_id, 77);
	assert_int_equal(count, 77);
	session_close(&session);
}

static void test_outputs_are_needed(void **state)
{
	struct session session = session_open("tasks");
	struct fake_thread *truth = fake_omp_thread(session.omp, 1);
	ompd_thread_handle_t *thread = thread_handle(&session, truth);
	ompd_task_handle_t *task = task_handle(&session, truth);

	(void)state;
	assert_rc(ompd_get_generating_task_handle(task, NULL), ompd_rc_bad_input);
	assert_rc(ompd_get_scheduling_task_handle(task, NULL), ompd_rc_bad_input);
	assert_rc(ompd_get_task_function(task, NULL), ompd_rc_bad_input);
	assert_rc(ompd_get_task_frame(task, NULL, NULL), ompd_rc_bad_input);
	assert_rc(ompd_get_state(thread, NULL, NULL), ompd_rc_bad_input);
	assert_rc(ompd_get_display_control_vars(session.handle, NULL), ompd_rc_bad_input);
	session_close(&session);
}

/* A vector that was never handed out cannot be given back. */
static void test_rel_display_control_vars(void **state)
{
	struct session session = session_open("parallel");
	const char *const *vector = UNTOUCHED;

	(void)state;
	assert_rc(ompd_rel_display_control_vars(NULL), ompd_rc_bad_input);
	assert_int_not_equal(ompd_rel_display_control_vars(&vector), ompd_rc_ok);
	assert_ptr_equal(vector, UNTOUCHED);
	session_close(&session);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_unsupported),
		OPENED(test_outputs_are_needed),
		OPENED(test_rel_display_control_vars),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
