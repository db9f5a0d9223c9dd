/* SPDX-License-Identifier: Apache-2.0
 *
 * Internal control variables (41.11): which names a tool of each version sees, and what is refused. Values
 * are compared with the truth in test_truth.c.
 */
#include <string.h>

#include "api_test.h"

static bool has(ompd_address_space_handle_t *handle, const char *name)
{
	ompd_scope_t scope;
	ompd_rc_t rc;
	const ompd_icv_id_t id = check_icv_id(handle, name, &scope, &rc);

	assert_ok(rc);
	return id != ompd_icv_undefined;
}

/* 5.0 has some names with a prefix only, but sees what 5.1 brought, as with LLVM's library; 5.1 and 5.2 have
 * both, 6.0 dropped the prefix. */
static void test_names_by_version(void **state)
{
	static const struct {
		ompd_word_t version;
		bool plain, prefixed;
	} cases[] = {{OPENMP_5_0, true, true},
		     {OPENMP_5_1, true, true},
		     {OPENMP_5_2, true, true},
		     {OPENMP_6_0, true, false}};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct session session;

		library_open_as(cases[i].version);
		session = session_open("parallel");
		assert_int_equal(has(session.handle, "team-size-var"), cases[i].plain);
		assert_int_equal(has(session.handle, "thread-num-var"), cases[i].plain);
		assert_int_equal(has(session.handle, "ompd-team-size-var"), cases[i].prefixed);
		assert_int_equal(has(session.handle, "ompd-thread-num-var"), cases[i].prefixed);
		assert_true(has(session.handle, "levels-var"));
		assert_true(has(session.handle, "active-levels-var"));
		session_close(&session);
		library_close_clean();
	}
}

/* The enumeration ends by itself, every name and id comes once, every scope is one. */
static void test_enumeration(void **state)
{
	struct session session = session_open("parallel");
	ompd_icv_id_t ids[200];
	ompd_icv_id_t id = ompd_icv_undefined;
	size_t count = 0;
	int more = 1;

	(void)state;
	while (more) {
		const char *name = NULL;
		ompd_scope_t scope = 0;

		assert_true(count < 200);
		assert_ok(ompd_enumerate_icvs(session.handle, id, &id, &name, &scope, &more));
		assert_true(more == 0 || more == 1);
		assert_in_range(scope, ompd_scope_global, ompd_scope_target);
		assert_true(strlen(name) > 4);
		for (size_t i = 0; i < count; i++)
			assert_int_not_equal(ids[i], id);
		ids[count++] = id;
		assert_ok(fake_callbacks()->free_memory((void *)(uintptr_t)name));
	}
	assert_true(count >= 4);
	session_close(&session);
}

static void test_enumeration_refuses(void **state)
{
	struct session session = session_open("parallel");
	ompd_icv_id_t next = 77;
	const char *name = UNTOUCHED;
	ompd_scope_t scope = 77;
	int more = 77;

	(void)state;
	assert_rc(ompd_enumerate_icvs(session.handle, 0, NULL, &name, &scope, &more),
		  ompd_rc_bad_input);
	assert_rc(ompd_enumerate_icvs(session.handle, 0, &next, NULL, &scope, &more),
		  ompd_rc_bad_input);
	assert_rc(ompd_enumerate_icvs(session.handle, 0, &next, &name, NULL, &more),
		  ompd_rc_bad_input);
	assert_rc(ompd_enumerate_icvs(session.handle, 0, &next, &name, &scope, NULL),
		  ompd_rc_bad_input);
	assert_rc(ompd_enumerate_icvs(session.handle, 100000, &next, &name, &scope, &more),
		  ompd_rc_bad_input);
	assert_rc(ompd_enumerate_icvs(session.handle, UINT64_MAX, &next, &name, &scope, &more),
		  ompd_rc_bad_input);
	assert_int_equal(next, 77);
	assert_ptr_equal(name, UNTOUCHED);
	assert_int_equal(scope, 77);
	assert_int_equal(more, 77);
	session_close(&session);
}

static void test_value_refuses(void **state)
{
	struct session session = session_open("parallel");
	ompd_parallel_handle_t *region = region_handle(&session, fake_omp_thread(session.omp, 1));
	ompd_word_t value = 77;
	ompd_scope_t scope;
	ompd_icv_id_t id;
	ompd_rc_t rc;

	(void)state;
	id = check_icv_id(session.handle, "levels-var", &scope, &rc);
	assert_int_equal(scope, ompd_scope_parallel);
	assert_rc(ompd_get_icv_from_scope(region, scope, id, NULL), ompd_rc_bad_input);
	assert_rc(ompd_get_icv_from_scope(region, scope, 0, &value), ompd_rc_bad_input);
	assert_rc(ompd_get_icv_from_scope(region, scope, 100000, &value), ompd_rc_bad_input);
	assert_rc(ompd_get_icv_from_scope(region, 0, id, &value), ompd_rc_bad_input);
	assert_rc(ompd_get_icv_from_scope(region, 9, id, &value), ompd_rc_bad_input);
	assert_int_equal(value, 77);
	session_close(&session);
}

/* A scope that is not the ICV's, with a handle that fits the scope. */
static void scope_mismatch(ompd_word_t version, ompd_rc_t expected)
{
	struct session session;
	ompd_thread_handle_t *thread;
	ompd_word_t value = 77;
	ompd_scope_t scope;
	ompd_icv_id_t id;
	ompd_rc_t rc;

	library_open_as(version);
	session = session_open("parallel");
	thread = thread_handle(&session, fake_omp_thread(session.omp, 1));
	id = check_icv_id(session.handle, "levels-var", &scope, &rc);
	assert_rc(ompd_get_icv_from_scope(thread, ompd_scope_thread, id, &value), expected);
	assert_int_equal(value, 77);
	session_close(&session);
	library_close_clean();
}

static void test_scope_mismatch(void **state)
{
	(void)state;
	scope_mismatch(OPENMP_6_0, ompd_rc_incompatible);
	scope_mismatch(OPENMP_5_2, ompd_rc_bad_input);
	scope_mismatch(OPENMP_5_1, ompd_rc_bad_input);
	scope_mismatch(OPENMP_5_0, ompd_rc_bad_input);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_by_version), OPENED(test_enumeration),
		OPENED(test_enumeration_refuses),        OPENED(test_value_refuses),
		cmocka_unit_test(test_scope_mismatch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
