/* SPDX-License-Identifier: Apache-2.0
 *
 * Parallel Region and Task Handle Routines (41.5, 41.6): what is refused. Answers are compared with the
 * truth in test_truth.c.
 */
#include "api_test.h"

static void test_arguments(void **state)
{
	struct session session = session_open("parallel");
	struct fake_thread *truth = fake_omp_thread(session.omp, 1);
	ompd_thread_handle_t *thread = thread_handle(&session, truth);
	ompd_parallel_handle_t *region = region_handle(&session, truth);
	ompd_task_handle_t *task = task_handle(&session, truth);

	(void)state;
	assert_rc(ompd_get_curr_parallel_handle(thread, NULL), ompd_rc_bad_input);
	assert_rc(ompd_get_enclosing_parallel_handle(region, NULL), ompd_rc_bad_input);
	assert_rc(ompd_get_task_parallel_handle(task, NULL), ompd_rc_bad_input);
	assert_rc(ompd_get_thread_in_parallel(region, 0, NULL), ompd_rc_bad_input);
	assert_rc(ompd_get_curr_task_handle(thread, NULL), ompd_rc_bad_input);
	assert_rc(ompd_get_task_in_parallel(region, 0, NULL), ompd_rc_bad_input);
	session_close(&session);
}

static void test_thread_numbers(void **state)
{
	static const int outside[] = {-1, 4, 5, 63, 64, 1000, INT32_MIN, INT32_MAX};
	struct session session = session_open("parallel");
	ompd_parallel_handle_t *region = region_handle(&session, fake_omp_thread(session.omp, 0));
	ompd_thread_handle_t *thread = UNTOUCHED;
	ompd_task_handle_t *task = UNTOUCHED;

	(void)state;
	for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
		assert_rc(ompd_get_thread_in_parallel(region, outside[i], &thread),
			  ompd_rc_bad_input);
		assert_rc(ompd_get_task_in_parallel(region, outside[i], &task), ompd_rc_bad_input);
	}
	assert_ptr_equal(thread, UNTOUCHED);
	assert_ptr_equal(task, UNTOUCHED);
	session_close(&session);
}

/* The implicit tasks of a team are different tasks, and belong to the region. */
static void test_implicit_tasks(void **state)
{
	struct session session = session_open("parallel");
	struct fake_thread *truth = fake_omp_thread(session.omp, 2);
	ompd_parallel_handle_t *region = region_handle(&session, truth);
	ompd_task_handle_t *current = task_handle(&session, truth);

	(void)state;
	for (int i = 0; i < 4; i++) {
		ompd_parallel_handle_t *of_task;
		ompd_task_handle_t *task;
		int order;

		assert_ok(ompd_get_task_in_parallel(region, i, &task));
		assert_ok(ompd_task_handle_compare(task, current, &order));
		assert_int_equal(order == 0, i == truth->thread_num);
		assert_ok(ompd_get_task_parallel_handle(task, &of_task));
		assert_ok(ompd_parallel_handle_compare(of_task, region, &order));
		assert_int_equal(order, 0);
		assert_ok(ompd_rel_parallel_handle(of_task));
		assert_ok(ompd_rel_task_handle(task));
	}
	session_close(&session);
}

/* An explicit task is the current one, but no implicit task of its region. */
static void test_explicit_task(void **state)
{
	struct session session = session_open("tasks");
	struct fake_thread *truth = fake_omp_thread(session.omp, 2);
	ompd_parallel_handle_t *region = region_handle(&session, truth);
	ompd_task_handle_t *current = task_handle(&session, truth);
	ompd_task_handle_t *implicit;
	int order = 0;

	(void)state;
	assert_ok(ompd_get_task_in_parallel(region, truth->thread_num, &implicit));
	assert_ok(ompd_task_handle_compare(current, implicit, &order));
	assert_int_not_equal(order, 0);
	session_close(&session);
}

/* The region ended, and others followed: its handle does not tell of those as if they were it. */
static void test_region_that_ended(void **state)
{
	struct session session = session_open("serialized_thrice");
	struct fake_thread *thread = fake_omp_thread(session.omp, 0);
	ompd_parallel_handle_t *region = region_handle(&session, thread);
	ompd_parallel_handle_t *enclosing = UNTOUCHED;
	ompd_rc_t rc;

	(void)state;
	/* libomp leaves the innermost of three: the team stands for two now. */
	fake_set_member(session.omp, thread->region->team, FAKE_OFFSET_kmp_base_team_t__t_level, 2);
	rc = ompd_get_enclosing_parallel_handle(region, &enclosing);
	assert_int_not_equal(rc, ompd_rc_ok);
	assert_ptr_equal(enclosing, UNTOUCHED);
	session_close(&session);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_arguments),         OPENED(test_thread_numbers),
		OPENED(test_implicit_tasks),    OPENED(test_explicit_task),
		OPENED(test_region_that_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
