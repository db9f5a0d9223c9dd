/* SPDX-License-Identifier: Apache-2.0
 *
 * Frozen memory: does the tool's promise save reads, are the answers the same, and is all forgotten when it ends?
 */
#include "api_test.h"

static unsigned reads(void)
{
	const struct fake_counts counts = fake_counts();

	return counts.calls[FAKE_READ] + counts.calls[FAKE_READ_STRING];
}

/* One row of a table of threads by single calls: the thread, its state, its region with level and size, its
 * number, its task. */
static void read_row(const struct session *session, const struct fake_thread *truth)
{
	ompd_thread_handle_t *thread = thread_handle(session, truth);
	ompd_word_t level, size, number, value;
	ompd_parallel_handle_t *region;
	ompd_task_handle_t *task;
	ompd_wait_id_t wait_id;
	ompd_scope_t scope;
	ompd_rc_t rc;

	(void)ompd_get_state(thread, &value, &wait_id);
	assert_ok(ompd_get_curr_parallel_handle(thread, &region));
	assert_ok(ompd_get_icv_from_scope(region, ompd_scope_parallel,
					  check_icv_id(session->handle, "levels-var", &scope, &rc),
					  &level));
	assert_ok(ompd_get_icv_from_scope(
		region, ompd_scope_parallel,
		check_icv_id(session->handle, "team-size-var", &scope, &rc), &size));
	assert_ok(ompd_get_icv_from_scope(
		thread, ompd_scope_thread,
		check_icv_id(session->handle, "thread-num-var", &scope, &rc), &number));
	assert_ok(ompd_get_curr_task_handle(thread, &task));
	assert_int_equal(level, truth->region->level);
	assert_int_equal(size, truth->region->team_size);
	assert_int_equal(number, truth->thread_num);
	assert_ok(ompd_rel_task_handle(task));
	assert_ok(ompd_rel_parallel_handle(region));
	assert_ok(ompd_rel_thread_handle(thread));
}

static struct session session_of(int threads)
{
	static const struct fake_world world = {
		"stripped 19", {8, false}, {.layout = FAKE_LLVM_19, .capacity = 128}};
	struct session session = session_open_in(&world, fake_scenario("sequential"));

	fake_parallel(fake_omp_thread(session.omp, 0), threads);
	return session;
}

static void test_rows(void **state)
{
	struct session session = session_of(64);
	unsigned most = 0, unfrozen;

	(void)state;
	read_row(&session, fake_omp_thread(session.omp, 0));
	fake_counts_reset();
	read_row(&session, fake_omp_thread(session.omp, 1));
	unfrozen = reads();
	assert_ok(ompdx_freeze(session.handle));
	read_row(&session, fake_omp_thread(session.omp, 2));
	for (size_t i = 3; i < 64; i++) {
		fake_counts_reset();
		read_row(&session, fake_omp_thread(session.omp, i));
		most = reads() > most ? reads() : most;
	}
	print_message("one row: %u reads, frozen at most %u\n", unfrozen, most);
	assert_true(most <= 3);
	assert_ok(ompdx_thaw(session.handle));
	fake_counts_reset();
	read_row(&session, fake_omp_thread(session.omp, 1));
	assert_int_equal(reads(), unfrozen);
	session_close(&session);
}

static void test_arguments(void **state)
{
	struct session session = session_open("parallel");

	(void)state;
	assert_rc(ompdx_thaw(session.handle), ompd_rc_bad_input);
	assert_ok(ompdx_freeze(session.handle));
	assert_rc(ompdx_freeze(session.handle), ompd_rc_bad_input);
	assert_ok(ompdx_thaw(session.handle));
	assert_rc(ompdx_thaw(session.handle), ompd_rc_bad_input);
	/* What is frozen when it is closed leaves nothing behind. */
	assert_ok(ompdx_freeze(session.handle));
	read_row(&session, fake_omp_thread(session.omp, 1));
	session_close(&session);
}

/* Everything is the truth, of each make of process; what is read twice is read once. */
static void test_truth(void **state)
{
	(void)state;
	for (size_t w = 0; w < fake_world_count; w++) {
		for (size_t s = 0; s < fake_scenario_count; s++) {
			struct session session =
				session_open_in(&fake_worlds[w], &fake_scenarios[s]);
			ompd_rc_t rc;

			assert_ok(ompdx_freeze(session.handle));
			assert_null(check_standard(session.omp, session.handle, &rc));
			assert_ok(rc);
			fake_counts_reset();
			assert_null(check_standard(session.omp, session.handle, &rc));
			assert_true(fake_counts().calls[FAKE_READ] <= fake_failed_reads());
			assert_ok(ompdx_thaw(session.handle));
			session_close(&session);
		}
	}
}

/* Thaw forgets: what has changed meanwhile is seen, and not before. */
static void test_forgets(void **state)
{
	struct session session = session_open("parallel");
	ompd_rc_t rc;

	(void)state;
	assert_ok(ompdx_freeze(session.handle));
	assert_null(check_standard(session.omp, session.handle, &rc));
	assert_ok(rc);
	fake_end(fake_omp_thread(session.omp, 0)->region);
	assert_non_null(check_standard(session.omp, session.handle, &rc));
	assert_ok(ompdx_thaw(session.handle));
	assert_null(check_standard(session.omp, session.handle, &rc));
	assert_ok(rc);
	session_close(&session);
}

/* Bytes that lie in a page with some that are not there are read alone; so are those at the end of all addresses. */
static void test_pages_with_holes(void **state)
{
	struct session session = session_open("parallel");
	ompd_rc_t rc;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		fake_hide(session.target, fake_omp_thread(session.omp, i)->address + 1400, 8);
	assert_ok(ompdx_freeze(session.handle));
	assert_null(check_standard(session.omp, session.handle, &rc));
	assert_ok(rc);
	session_close(&session);
}

/* A failed read is an error now, and tried again. */
static void test_failing_reads(void **state)
{
	static const ompd_rc_t codes[] = {ompd_rc_error, ompd_rc_stale_handle};
	struct session session = session_open("nested_three_deep");
	bool struck = true;

	(void)state;
	for (size_t c = 0; c < 2; c++) {
		for (unsigned nth = 1; struck; nth++) {
			ompd_rc_t rc;

			assert_ok(ompdx_freeze(session.handle));
			fake_fault_plan(
				(struct fake_fault){FAKE_ANY_CALLBACK, nth, false, codes[c]});
			assert_null(check_standard(session.omp, session.handle, &rc));
			struck = fake_fault_struck();
			fake_fault_clear();
			assert_null(check_standard(session.omp, session.handle, &rc));
			assert_ok(rc);
			assert_ok(ompdx_thaw(session.handle));
		}
		struck = true;
	}
	session_close(&session);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_rows),    OPENED(test_arguments),        OPENED(test_truth),
		OPENED(test_forgets), OPENED(test_pages_with_holes), OPENED(test_failing_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
