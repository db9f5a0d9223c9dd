/* SPDX-License-Identifier: Apache-2.0
 *
 * Display-control variables (41.10): made from what the ICVs are, given back once.
 */
#include <string.h>

#include "api_test.h"
#include "fake_variables.h"

static const char *found(const char *const *vars, const char *setting)
{
	for (size_t i = 0; vars[i]; i++) {
		if (strcmp(vars[i], setting) == 0)
			return vars[i];
	}
	return NULL;
}

static void test_settings(void **state)
{
	static const struct {
		ompd_word_t version;
		const char *cancellation, *format;
	} cases[] = {
		{OPENMP_5_1, "cancel-var=true", "affinity-format-var=%H"},
		{OPENMP_6_0, "OMP_CANCELLATION=true", "OMP_AFFINITY_FORMAT=%H"},
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const char *const *vars;
		struct session session;

		library_open_as(cases[i].version);
		session = session_open("nested_three_deep");
		fake_set_variable(session.omp, FAKE_VARIABLE___kmp_omp_cancellation, 1);
		fake_set_text(session.omp, FAKE_VARIABLE___kmp_affinity_format, "%H");
		assert_ok(ompd_get_display_control_vars(session.handle, &vars));
		assert_non_null(found(vars, cases[i].cancellation));
		assert_non_null(found(vars, cases[i].format));
		for (size_t k = 0; vars[k]; k++) {
			assert_non_null(strchr(vars[k], '='));
			/* Not counted yet: no value is better than a wrong one. */
			assert_null(strstr(vars[k], "num-procs"));
		}
		assert_ok(ompd_rel_display_control_vars(&vars));
		assert_null(vars);
		session_close(&session);
		library_close_clean();
	}
}

/* Several at once, given back in any order; each once. */
static void test_release(void **state)
{
	struct session session = session_open("parallel");
	const char *const *vars[3];
	const char *const *again;
	const char *own[] = {"OMP_DYNAMIC=true", NULL};
	const char *const *foreign = own;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_ok(ompd_get_display_control_vars(session.handle, &vars[i]));
	again = vars[1];
	assert_ok(ompd_rel_display_control_vars(&vars[1]));
	assert_rc(ompd_rel_display_control_vars(&again), ompd_rc_bad_input);
	assert_rc(ompd_rel_display_control_vars(&vars[1]), ompd_rc_bad_input);
	assert_rc(ompd_rel_display_control_vars(&foreign), ompd_rc_bad_input);
	assert_rc(ompd_rel_display_control_vars(NULL), ompd_rc_bad_input);
	assert_ok(ompd_rel_display_control_vars(&vars[2]));
	/* The vector outlives its address space. */
	session_close(&session);
	assert_non_null(vars[0][0]);
	assert_ok(ompd_rel_display_control_vars(&vars[0]));
}

static void test_refused(void **state)
{
	struct session session = session_open("parallel");
	const char *const *vars = UNTOUCHED;

	(void)state;
	assert_rc(ompd_get_display_control_vars(session.handle, NULL), ompd_rc_bad_input);
	assert_rc(ompd_get_display_control_vars(NULL, &vars), ompd_rc_stale_handle);
	assert_ptr_equal(vars, UNTOUCHED);
	session_close(&session);
}

static void test_before_initialize(void **state)
{
	const char *const *vars = UNTOUCHED;

	(void)state;
	(void)ompd_finalize();
	assert_rc(ompd_rel_display_control_vars(&vars), ompd_rc_error);
}

/* A size has its unit, and an ICV of threads is the first thread's; also so deep in serialized regions that no
 * walk from region to region would come back. */
static void test_unit_and_threads(void **state)
{
	enum { DEPTH = 5000 };
	struct session session = session_open("sequential");
	struct fake_thread *root = fake_omp_thread(session.omp, 0);
	const char *const *vars, *const *deep;
	unsigned before = 0, after = 0;
	bool allocator = false;

	(void)state;
	fake_set_variable(session.omp, FAKE_VARIABLE___kmp_stksize, 8388608);
	assert_ok(ompd_get_display_control_vars(session.handle, &vars));
	assert_non_null(found(vars, "OMP_STACKSIZE=8388608B"));
	for (; vars[before]; before++)
		allocator = allocator || strncmp(vars[before], "OMP_ALLOCATOR=", 14) == 0;
	assert_true(allocator);
	for (int i = 0; i < DEPTH; i++)
		fake_serialized(root);
	assert_ok(ompd_get_display_control_vars(session.handle, &deep));
	while (deep[after])
		after++;
	assert_int_equal(after, before);
	assert_ok(ompd_rel_display_control_vars(&vars));
	/* What is not given back goes with the library. */
	session_close(&session);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settings),
		OPENED(test_release),
		OPENED(test_refused),
		cmocka_unit_test(test_before_initialize),
		OPENED(test_unit_and_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
