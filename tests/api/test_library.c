/* SPDX-License-Identifier: Apache-2.0
 *
 * Library Initialization and Finalization (41.1): what can be called when, and with what.
 */
#include <stdio.h>
#include <string.h>

#include "api_test.h"

static const ompd_word_t versions[] = {OPENMP_5_0, OPENMP_5_1, OPENMP_5_2, OPENMP_6_0};

static void test_every_api_version(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++) {
		library_open_as(versions[i]);
		library_close_clean();
	}
}

static void test_other_api_versions(void **state)
{
	static const ompd_word_t others[] = {0,      -1,     50,         201511,
					     201812, 202110, 202411 + 1, INT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_rc(ompd_initialize(others[i], fake_callbacks()), ompd_rc_unsupported);
		/* Nothing was opened. */
		assert_rc(ompd_finalize(), ompd_rc_unsupported);
	}
}

/* Each required callback in turn is missing. */
static void test_incomplete_callbacks(void **state)
{
	const size_t count = sizeof(ompd_callbacks_t) / sizeof(void (*)(void));
	const size_t print = offsetof(ompd_callbacks_t, print_string) / sizeof(void (*)(void));
	/* LLVM's GDB plugin has none; this library writes nothing. */
	const size_t write = offsetof(ompd_callbacks_t, write_memory) / sizeof(void (*)(void));

	(void)state;
	assert_int_equal(count, 11);
	assert_rc(ompd_initialize(OPENMP_6_0, NULL), ompd_rc_bad_input);
	for (size_t i = 0; i < count; i++) {
		ompd_callbacks_t callbacks = *fake_callbacks();
		ompd_rc_t rc;

		memset((char *)&callbacks + i * sizeof(void (*)(void)), 0, sizeof(void (*)(void)));
		rc = ompd_initialize(OPENMP_6_0, &callbacks);
		if (i == print || i == write) {
			assert_ok(rc);
			assert_ok(ompd_finalize());
		} else {
			assert_int_equal(rc, ompd_rc_bad_input);
			assert_rc(ompd_finalize(), ompd_rc_unsupported);
		}
	}
}

/* Another table takes the first one's place; what is wrong with one is said before and after, and changes
 * nothing. */
static void test_initialized_again(void **state)
{
	const ompd_callbacks_t none = {0};
	struct session session;
	ompd_rc_t rc;

	(void)state;
	library_open_as(OPENMP_6_0);
	session = session_open("parallel");
	assert_rc(ompd_initialize(OPENMP_6_0, NULL), ompd_rc_bad_input);
	assert_rc(ompd_initialize(OPENMP_6_0, &none), ompd_rc_bad_input);
	assert_rc(ompd_initialize(150847, fake_callbacks()), ompd_rc_unsupported);
	assert_null(check_standard(session.omp, session.handle, &rc));
	assert_ok(rc);
	assert_ok(ompd_initialize(OPENMP_6_0, fake_callbacks()));
	assert_null(check_standard(session.omp, session.handle, &rc));
	assert_ok(rc);
	session_close(&session);
	library_close_clean();
	assert_rc(ompd_finalize(), ompd_rc_unsupported);
	/* And again from the beginning. */
	library_open_as(OPENMP_6_0);
	library_close_clean();
}

/* The callback table is the tool's: it may be gone after the call. */
static void test_callbacks_are_copied(void **state)
{
	struct session session;
	ompd_callbacks_t callbacks = *fake_callbacks();

	(void)state;
	fake_debugger_reset();
	assert_ok(ompd_initialize(OPENMP_6_0, &callbacks));
	memset(&callbacks, 0, sizeof(callbacks));
	session = session_open("parallel");
	session_close(&session);
	library_close_clean();
}

static void test_versions_at_any_time(void **state)
{
	const char *before = NULL, *during = NULL;
	ompd_word_t version = 0, extensions = 0;

	(void)state;
	assert_ok(ompd_get_api_version(&version));
	assert_int_equal(version, OPENMP_6_0);
	assert_ok(ompdx_get_version(&extensions));
	assert_int_equal(extensions, OMPDX_VERSION);
	assert_ok(ompd_get_version_string(&before));
	assert_true(strlen(before) > 0);
	library_open_as(OPENMP_5_0);
	assert_ok(ompd_get_api_version(&version));
	/* The newest that it knows, whatever the tool asked for. */
	assert_int_equal(version, OPENMP_6_0);
	assert_ok(ompd_get_version_string(&during));
	assert_ptr_equal(before, during);
	library_close_clean();
}

/* Two builds can be told apart: the version string names the commit, as `ompd --version' does. */
static void test_version_of_the_build(void **state)
{
	char line[256] = "libompd ";
	const size_t length = strlen(line);
	FILE *file = fopen(VERSION_FILE, "r");
	const char *version;

	(void)state;
	assert_non_null(file);
	assert_non_null(fgets(line + length, (int)(sizeof(line) - length), file));
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	assert_ok(ompd_get_version_string(&version));
	assert_string_equal(version, line);
}

static void test_versions_need_a_place(void **state)
{
	(void)state;
	assert_rc(ompd_get_api_version(NULL), ompd_rc_bad_input);
	assert_rc(ompd_get_version_string(NULL), ompd_rc_bad_input);
	assert_rc(ompdx_get_version(NULL), ompd_rc_bad_input);
}

/* Initializing and reading the versions asks the tool nothing. */
static void test_no_callback_without_need(void **state)
{
	const char *string;
	ompd_word_t version;
	struct fake_counts counts;

	(void)state;
	library_open_as(OPENMP_6_0);
	assert_ok(ompd_get_api_version(&version));
	assert_ok(ompd_get_version_string(&string));
	counts = fake_counts();
	assert_int_equal(fake_calls(&counts), 0);
	library_close_clean();
}

/* finalize releases what the tool forgot. */
static void test_finalize_releases_everything(void **state)
{
	struct session session;
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *region;
	ompd_task_handle_t *task;

	(void)state;
	library_open_as(OPENMP_6_0);
	session = session_open("nested_three_deep");
	thread = thread_handle(&session, fake_omp_thread(session.omp, 0));
	region = region_handle(&session, fake_omp_thread(session.omp, 1));
	task = task_handle(&session, fake_omp_thread(session.omp, 1));
	library_close_clean();
	/* In the next life of the library they mean nothing. */
	library_open_as(OPENMP_6_0);
	assert_rc(ompd_rel_thread_handle(thread), ompd_rc_stale_handle);
	assert_rc(ompd_rel_parallel_handle(region), ompd_rc_stale_handle);
	assert_rc(ompd_rel_task_handle(task), ompd_rc_stale_handle);
	assert_rc(ompd_rel_address_space_handle(session.handle), ompd_rc_stale_handle);
	library_close_clean();
	fake_process_destroy(session.omp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_api_version),
		cmocka_unit_test(test_other_api_versions),
		cmocka_unit_test(test_incomplete_callbacks),
		cmocka_unit_test(test_initialized_again),
		cmocka_unit_test(test_callbacks_are_copied),
		cmocka_unit_test(test_versions_at_any_time),
		cmocka_unit_test(test_version_of_the_build),
		cmocka_unit_test(test_versions_need_a_place),
		cmocka_unit_test(test_no_callback_without_need),
		cmocka_unit_test(test_finalize_releases_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
