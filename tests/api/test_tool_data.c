/* SPDX-License-Identifier: Apache-2.0
 *
 * Data that an OMPT tool attached (41.11).
 */
#include "api_test.h"

static struct session session_tracked(const char *scenario, bool tracks)
{
	const struct fake_world world = {
		"", {8, false}, {.layout = FAKE_LLVM_19, .tracks_states = tracks}};

	return session_open_in(&world, fake_scenario(scenario));
}

static void check_data(void *handle, ompd_scope_t scope, ompd_rc_t expected, uint64_t data)
{
	ompd_word_t value = 77;
	ompd_address_t pointer = {77, 77};

	assert_rc(ompd_get_tool_data(handle, scope, &value, &pointer), expected);
	if (expected == ompd_rc_ok) {
		assert_int_equal(value, data);
		assert_int_equal(pointer.address, data);
		assert_int_equal(pointer.segment, ompd_segment_none);
	} else {
		assert_int_equal(value, 77);
		assert_int_equal(pointer.address, 77);
	}
}

static void put(const struct session *session, uint64_t at, enum fake_table_word outer,
		enum fake_table_word inner, uint64_t value)
{
	fake_put(session->target,
		 at + fake_table_value(session->omp, outer) + fake_table_value(session->omp, inner),
		 8, value);
}

static void test_of_each_scope(void **state)
{
	struct session session = session_tracked("parallel", true);
	struct fake_thread *truth = fake_omp_thread(session.omp, 1);
	ompd_thread_handle_t *thread = thread_handle(&session, truth);
	ompd_parallel_handle_t *region = region_handle(&session, truth);
	ompd_task_handle_t *task = task_handle(&session, truth);

	(void)state;
	put(&session, truth->address, FAKE_OFFSET_kmp_base_info_t__ompt_thread_info,
	    FAKE_OFFSET_ompt_thread_info_t__thread_data, 1001);
	put(&session, truth->region->team, FAKE_OFFSET_kmp_base_team_t__ompt_team_info,
	    FAKE_OFFSET_ompt_team_info_t__parallel_data, 1002);
	put(&session, truth->task, FAKE_OFFSET_kmp_taskdata_t__ompt_task_info,
	    FAKE_OFFSET_ompt_task_info_t__task_data, UINT64_MAX);
	check_data(thread, ompd_scope_thread, ompd_rc_ok, 1001);
	check_data(region, ompd_scope_parallel, ompd_rc_ok, 1002);
	check_data(task, ompd_scope_task, ompd_rc_ok, UINT64_MAX);
	check_data(task, ompd_scope_implicit_task, ompd_rc_ok, UINT64_MAX);
	/* The tool's own. */
	check_data(session.handle, ompd_scope_global, ompd_rc_unavailable, 0);
	check_data(session.handle, ompd_scope_address_space, ompd_rc_unavailable, 0);
	check_data(thread, ompd_scope_task, ompd_rc_incompatible_handle, 0);
	check_data(thread, 0, ompd_rc_bad_input, 0);
	check_data(NULL, ompd_scope_thread, ompd_rc_stale_handle, 0);
	session_close(&session);
}

/* Of the outer of two serialized regions the data is in a lightweight team. */
static void test_of_serialized(void **state)
{
	struct session session = session_tracked("serialized_thrice", true);
	struct fake_thread *truth = fake_omp_thread(session.omp, 0);
	ompd_parallel_handle_t *region = region_handle(&session, truth), *outer;
	const uint64_t lightweight = fake_allocate_block(session.omp, 128);

	(void)state;
	put(&session, truth->region->team, FAKE_OFFSET_kmp_base_team_t__ompt_team_info,
	    FAKE_OFFSET_ompt_team_info_t__parallel_data, 3);
	put(&session, lightweight, FAKE_OFFSET_ompt_lw_taskteam_t__ompt_team_info,
	    FAKE_OFFSET_ompt_team_info_t__parallel_data, 2);
	fake_set_member(session.omp, truth->region->team,
			FAKE_OFFSET_kmp_base_team_t__ompt_serialized_team_info, lightweight);
	check_data(region, ompd_scope_parallel, ompd_rc_ok, 3);
	assert_ok(ompd_get_enclosing_parallel_handle(region, &outer));
	check_data(outer, ompd_scope_parallel, ompd_rc_ok, 2);
	assert_ok(ompd_get_enclosing_parallel_handle(outer, &region));
	check_data(region, ompd_scope_parallel, ompd_rc_unavailable, 0);
	session_close(&session);
}

static void test_refused(void **state)
{
	struct session session = session_tracked("parallel", false);
	ompd_thread_handle_t *thread = thread_handle(&session, fake_omp_thread(session.omp, 1));
	ompd_word_t value;
	ompd_address_t pointer;

	(void)state;
	check_data(thread, ompd_scope_thread, ompd_rc_needs_state_tracking, 0);
	assert_rc(ompd_get_tool_data(thread, ompd_scope_thread, NULL, &pointer), ompd_rc_bad_input);
	assert_rc(ompd_get_tool_data(thread, ompd_scope_thread, &value, NULL), ompd_rc_bad_input);
	session_close(&session);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_of_each_scope),
		OPENED(test_of_serialized),
		OPENED(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
