/* SPDX-License-Identifier: Apache-2.0
 *
 * ompdx_describe_function, ompdx_entry_points: what a name tells, and where a runtime's functions are.
 */
#include <string.h>

#include "api_test.h"

static ompdx_function_t described(const char *name)
{
	ompdx_function_t function = {.size = sizeof(function)};

	assert_ok(ompdx_describe_function(name, &function));
	assert_int_equal(function.size, sizeof(function));
	return function;
}

static void test_arguments(void **state)
{
	ompdx_function_t function = {.size = 4};

	(void)state;
	assert_rc(ompdx_describe_function(NULL, &function), ompd_rc_bad_input);
	assert_rc(ompdx_describe_function("main", NULL), ompd_rc_bad_input);
	assert_rc(ompdx_describe_function("main", &function), ompd_rc_bad_input);
	/* A tool that knows less gets less. */
	memset(&function, 0x5a, sizeof(function));
	function.size = offsetof(ompdx_function_t, roles);
	assert_ok(ompdx_describe_function("GOMP_barrier", &function));
	assert_int_equal(function.size, offsetof(ompdx_function_t, roles));
	assert_int_equal(function.wait, ompdx_wait_barrier);
	assert_int_equal(function.roles, 0x5a5a5a5a);
}

static void test_classes(void **state)
{
	static const struct {
		const char *name;
		ompdx_function_class_t is;
	} names[] = {
		{"main", ompdx_function_other},
		{"", ompdx_function_other},
		{"_", ompdx_function_other},
		{"@", ompdx_function_other},
		{"omp_solve", ompdx_function_other},
		{"omp_", ompdx_function_other},
		{"GOMP", ompdx_function_other},
		{"__kmpc_", ompdx_function_entry},
		{"__kmpc_new_in_llvm_99", ompdx_function_entry},
		{"GOMP_new_in_gcc_99", ompdx_function_entry},
		{"omp_set_lock", ompdx_function_entry},
		{"omp_set_lock_", ompdx_function_entry},
		{"omp_set_lock@@OMP_3.0", ompdx_function_entry},
		{"__kmp_api_omp_set_lock", ompdx_function_entry},
		{"gomp_ialias_omp_set_lock", ompdx_function_entry},
		{"gomp_ordered_sync", ompdx_function_entry},
		{"__kmp_fork_call", ompdx_function_internal},
		{"___kmp_env_dump", ompdx_function_internal},
		{"_kmp_mine", ompdx_function_ambiguous},
		{"kmp_flag", ompdx_function_ambiguous},
		{"gomp_team_barrier_wait_end", ompdx_function_internal},
		{"futex_wait", ompdx_function_ambiguous},
		{"solve.omp_outlined", ompdx_function_outlined},
		{".omp_outlined._debug__.3", ompdx_function_outlined},
		{"solve._omp_fn.0", ompdx_function_outlined},
		{"solve [clone ._omp_fn.0]", ompdx_function_outlined},
		{"_QMmPsolve..omp_par.2", ompdx_function_outlined},
		{".omp_task_entry..5", ompdx_function_outlined},
		{"comp_parity", ompdx_function_other},
		{"__GI___pthread_cond_wait", ompdx_function_system},
		{"pthread_cond_timedwait@@GLIBC_2.3.2", ompdx_function_system},
		{"__pthread_create_2_1", ompdx_function_system},
		{"pthread_create (void*)", ompdx_function_other},
		{"clone3", ompdx_function_system},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const ompdx_function_t function = described(names[i].name);

		if (function.function_class != names[i].is)
			fail_msg("%s: %d", names[i].name, function.function_class);
	}
}

static void test_what_is_told(void **state)
{
	ompdx_function_t function = described("__kmpc_critical_with_hint");

	(void)state;
	assert_int_equal(function.wait, ompdx_wait_critical);
	assert_int_equal(function.state, OMPDX_STATE_WAIT_CRITICAL);
	assert_int_equal(function.object_argument, 2);
	assert_int_equal(function.code_argument, -1);
	assert_string_equal(function.entry, "__kmpc_critical_with_hint");
	function = described("GOMP_parallel");
	assert_int_equal(function.wait, ompdx_wait_none);
	assert_int_equal(function.code_argument, 0);
	assert_int_equal(function.roles, OMPDX_ROLE_FORKS | OMPDX_ROLE_NESTED);
	function = described("GOMP_sections_end");
	assert_int_equal(function.wait, ompdx_wait_workshare);
	assert_int_equal(function.construct, ompdx_construct_sections);
	function = described("GOMP_barrier");
	assert_int_equal(function.construct, ompdx_construct_none);
	assert_true(function.roles & OMPDX_ROLE_UNMARKED);
	assert_false(described("__kmpc_barrier").roles & OMPDX_ROLE_UNMARKED);
	function = described("__kmpc_atomic_float8_add");
	assert_int_equal(function.wait, ompdx_wait_atomic);
	assert_true(function.roles & OMPDX_ROLE_CONTENDED);
	assert_null(function.entry);
	function = described("__kmpc_atomic_start");
	assert_int_equal(function.wait, ompdx_wait_atomic);
	assert_false(function.roles & OMPDX_ROLE_CONTENDED);
	function = described("omp_get_thread_num_");
	assert_int_equal(function.state, OMPDX_STATE_WORK_PARALLEL);
	assert_string_equal(function.entry, "omp_get_thread_num");
	assert_int_equal(described("__kmpc_dispatch_next_4").state, OMPDX_STATE_OVERHEAD);
	assert_int_equal(described("main").state, OMPDX_STATE_UNDEFINED);
	assert_true(described("__kmp_invoke_microtask").roles & OMPDX_ROLE_INVOKES);
	assert_true(described("__kmp_acquire_ticket_lock").roles & OMPDX_ROLE_ACQUIRES);
	assert_false(described("__kmp_acquire_ticket").roles & OMPDX_ROLE_ACQUIRES);
	assert_true(described("main.omp_outlined_debug__").roles & OMPDX_ROLE_OF_CLANG);
	assert_false(described("main._omp_fn.1").roles & OMPDX_ROLE_OF_CLANG);
}

/* Nothing of a name is read but up to its end. */
static void test_long_names(void **state)
{
	static char name[70000];

	(void)state;
	memset(name, '_', sizeof(name) - 1);
	assert_int_equal(described(name).function_class, ompdx_function_other);
	memcpy(name + sizeof(name) - 6, "__kmp", 5);
	assert_int_equal(described(name).function_class, ompdx_function_internal);
	memset(name, 'x', sizeof(name) - 1);
	memcpy(name, "__kmp_acquire_", 14);
	memcpy(name + sizeof(name) - 5, "lock", 4);
	assert_true(described(name).roles & OMPDX_ROLE_ACQUIRES);
}

static const ompdx_entry_point_t *point(const ompdx_entry_points_t *points, ompd_size_t index)
{
	return (const void *)((const char *)points->entry_points +
			      index * points->entry_points[0].size);
}

static uint64_t address_of(const ompdx_entry_points_t *points, const char *name)
{
	for (ompd_size_t i = 0; i < points->count; i++) {
		if (strcmp(point(points, i)->name, name) == 0)
			return point(points, i)->address;
	}
	return 0;
}

static void test_entry_points(void **state)
{
	static const struct fake_machine machines[] = {
		{4, false}, {4, true}, {8, false}, {8, true}};
	const struct fake_libomp_options kinds[] = {
		{.layout = FAKE_LLVM_19},
		{.layout = FAKE_LLVM_19, .sysv_hash_only = true},
		{.layout = FAKE_LLVM_19, .unrelocated = true},
	};

	(void)state;
	for (size_t i = 0; i < 12; i++) {
		const struct fake_world world = {"", machines[i % 4], kinds[i / 4]};
		struct session session =
			session_open_in(&world, fake_scenario("nested_three_deep"));
		const uint64_t bias = fake_libomp_image(session.omp)->bias;
		ompdx_entry_points_t *points = UNTOUCHED;

		assert_rc(ompdx_entry_points(session.handle, NULL), ompd_rc_bad_input);
		assert_rc(ompdx_entry_points(NULL, &points), ompd_rc_stale_handle);
		assert_ptr_equal(points, UNTOUCHED);
		assert_ok(ompdx_entry_points(session.handle, &points));
		assert_true(address_of(points, "__kmpc_fork_call") == bias + 0x4000);
		assert_true(address_of(points, "GOMP_barrier") == bias + 0x4180);
		assert_true(address_of(points, "omp_get_level") == bias + 0x4100);
		assert_true(address_of(points, "main") == 0);
		assert_ok(fake_callbacks()->free_memory(points));
		session_close(&session);
	}
}

/* The program's names are the debugger's to know. */
static void test_entry_points_of_a_program(void **state)
{
	const struct fake_world world = {
		"",
		{8, false},
		{.layout = FAKE_LLVM_19, .linkage = FAKE_IN_PIE, .published = true}};
	struct session session = session_open_in(&world, fake_scenario("nested_three_deep"));
	ompdx_entry_points_t *points;
	uint64_t address;

	(void)state;
	assert_ok(ompdx_entry_points(session.handle, &points));
	assert_true(fake_find_symbol(session.target, NULL, "__kmpc_fork_call", &address));
	assert_true(address_of(points, "__kmpc_fork_call") == address);
	assert_ok(fake_callbacks()->free_memory(points));
	session_close(&session);
}

/* Whatever the tables say. */
static void test_hostile_tables(void **state)
{
	static const uint64_t values[] = {0, UINT32_MAX, 1 << 20, 0x7ffffff8};
	struct session session = session_open("nested_three_deep");
	const struct fake_image *image = fake_libomp_image(session.omp);
	ompdx_entry_points_t *points;
	unsigned told = 0, refused = 0;

	(void)state;
	for (uint64_t at = image->base; at < image->base + 0x2000; at += 4) {
		const uint64_t was = fake_get(session.target, at, 4);

		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			ompd_rc_t rc;

			fake_put(session.target, at, 4, values[i]);
			rc = ompdx_entry_points(session.handle, &points);
			if (rc == ompd_rc_ok || rc == ompd_rc_incomplete) {
				told++;
				assert_ok(fake_callbacks()->free_memory(points));
			} else {
				assert_rc(rc, ompd_rc_unavailable);
				refused++;
			}
		}
		fake_put(session.target, at, 4, was);
	}
	assert_true(told && refused);
	/* Tables that cannot be read. */
	fake_hide(session.target, image->base, image->data - image->base);
	assert_rc(ompdx_entry_points(session.handle, &points), ompd_rc_unavailable);
	session_close(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_what_is_told),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test_setup_teardown(test_entry_points, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_entry_points_of_a_program, library_open,
						library_close),
		cmocka_unit_test_setup_teardown(test_hostile_tables, library_open, library_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
