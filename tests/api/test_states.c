/* SPDX-License-Identifier: Apache-2.0
 *
 * Thread states (41.9): which a tool of each version knows, and what a runtime recorded.
 */
#include <string.h>

#include "api_test.h"
#include "fake_variables.h"

struct state {
	ompd_word_t value;
	char name[64];
};

static size_t enumerate(ompd_address_space_handle_t *handle, struct state *states, size_t room)
{
	ompd_word_t at = 0x102, more = 1;
	size_t count = 0;

	while (more) {
		const char *name = NULL;

		assert_true(count < room);
		assert_ok(ompd_enumerate_states(handle, at, &at, &name, &more));
		assert_true(more == 0 || more == 1);
		assert_true(strlen(name) < sizeof(states[count].name));
		strcpy(states[count].name, name);
		states[count++].value = at;
		assert_ok(fake_callbacks()->free_memory((void *)(uintptr_t)name));
	}
	return count;
}

static bool has(const struct state *states, size_t count, ompd_word_t value)
{
	for (size_t i = 0; i < count; i++) {
		if (states[i].value == value)
			return true;
	}
	return false;
}

static void test_by_version(void **state)
{
	static const struct {
		ompd_word_t version;
		size_t count;
		bool newer_barriers, newer_work;
	} cases[] = {{OPENMP_5_0, 21, false, false},
		     {OPENMP_5_1, 23, true, false},
		     {OPENMP_5_2, 23, true, false},
		     {OPENMP_6_0, 25, true, true}};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct state states[64];
		struct session session;
		size_t count;

		library_open_as(cases[i].version);
		session = session_open("parallel");
		count = enumerate(session.handle, states, 64);
		assert_int_equal(count, cases[i].count);
		assert_string_equal(states[0].name, "ompt_state_work_serial");
		assert_int_equal(states[0].value, 0);
		assert_string_equal(states[count - 1].name, "ompt_state_undefined");
		assert_int_equal(has(states, count, 0x015), cases[i].newer_barriers);
		assert_int_equal(has(states, count, 0x016), cases[i].newer_barriers);
		assert_int_equal(has(states, count, 0x003), cases[i].newer_work);
		for (size_t k = 0; k < count; k++)
			assert_false(has(states + k + 1, count - k - 1, states[k].value));
		session_close(&session);
		library_close_clean();
	}
}

static void test_enumeration_refuses(void **state)
{
	struct session session = session_open("parallel");
	const char *name = UNTOUCHED;
	ompd_word_t next = 77, more = 77;

	(void)state;
	assert_rc(ompd_enumerate_states(session.handle, 0x102, NULL, &name, &more),
		  ompd_rc_bad_input);
	assert_rc(ompd_enumerate_states(session.handle, 0x102, &next, NULL, &more),
		  ompd_rc_bad_input);
	assert_rc(ompd_enumerate_states(session.handle, 0x102, &next, &name, NULL),
		  ompd_rc_bad_input);
	assert_rc(ompd_enumerate_states(session.handle, 0x00f, &next, &name, &more),
		  ompd_rc_bad_input);
	assert_rc(ompd_enumerate_states(session.handle, -1, &next, &name, &more),
		  ompd_rc_bad_input);
	assert_rc(ompd_enumerate_states(NULL, 0x102, &next, &name, &more), ompd_rc_stale_handle);
	assert_ptr_equal(name, UNTOUCHED);
	assert_int_equal(next, 77);
	assert_int_equal(more, 77);
	session_close(&session);
}

static struct session tracked(bool by_debug, bool published)
{
	const struct fake_world world = {
		"",
		{8, false},
		{.layout = FAKE_LLVM_19, .published = published, .tracks_states = by_debug}};

	return session_open_in(&world, fake_scenario("parallel"));
}

static void check_state(struct session *session, int value, ompd_rc_t expected, int told)
{
	struct fake_thread *truth = fake_omp_thread(session->omp, 1);
	ompd_thread_handle_t *thread = thread_handle(session, truth);
	ompd_word_t found = 77;
	ompd_wait_id_t wait_id = 77;

	fake_state(truth, value, 0xabcd);
	assert_rc(ompd_get_state(thread, &found, &wait_id), expected);
	assert_int_equal(found, expected == ompd_rc_ok ? told : 77);
	assert_int_equal(wait_id, expected == ompd_rc_ok ? 0xabcd : 77);
	if (expected == ompd_rc_ok)
		assert_ok(ompd_get_state(thread, &found, NULL));
	assert_rc(ompd_get_state(thread, NULL, &wait_id), ompd_rc_bad_input);
	assert_ok(ompd_rel_thread_handle(thread));
}

static void test_tracked(void **state)
{
	struct session session = tracked(true, false);

	(void)state;
	check_state(&session, 0x041, ompd_rc_ok, 0x041);
	check_state(&session, 0x015, ompd_rc_ok, 0x015);
	check_state(&session, 0x205, ompd_rc_ok, 0x205); /* the runtime's own */
	check_state(&session, 0x1ff, ompd_rc_error, 0);
	check_state(&session, -5, ompd_rc_error, 0);
	session_close(&session);
}

static void test_not_tracked(void **state)
{
	struct session session = tracked(false, false);

	(void)state;
	check_state(&session, 0x041, ompd_rc_needs_state_tracking, 0);
	session_close(&session);
}

/* An OMPT tool turns OMPT on without OMP_DEBUG. */
static void test_tracked_for_a_tool(void **state)
{
	(void)state;
	for (int published = 0; published < 2; published++) {
		struct session session = tracked(false, published);

		fake_set_variable(session.omp, FAKE_VARIABLE_ompt_enabled, 1);
		check_state(&session, 0x041, ompd_rc_ok, 0x041);
		fake_set_variable(session.omp, FAKE_VARIABLE_ompt_enabled, 2);
		check_state(&session, 0x041, ompd_rc_needs_state_tracking, 0);
		session_close(&session);
	}
}

/* A barrier of a kind that is newer than the tool is a barrier. */
static void test_newer_barriers(void **state)
{
	struct session session;

	(void)state;
	library_open_as(OPENMP_5_0);
	session = tracked(true, false);
	check_state(&session, 0x015, ompd_rc_ok, 0x010);
	check_state(&session, 0x016, ompd_rc_ok, 0x010);
	check_state(&session, 0x014, ompd_rc_ok, 0x014);
	check_state(&session, 0x003, ompd_rc_error, 0);
	session_close(&session);
	library_close_clean();
}

/* The values that ompd-ext.h names are those of the enumeration. */
static void test_named_values(void **state)
{
	static const struct {
		ompd_word_t value;
		const char *name;
	} named[] = {{OMPDX_STATE_WORK_SERIAL, "ompt_state_work_serial"},
		     {OMPDX_STATE_WORK_PARALLEL, "ompt_state_work_parallel"},
		     {OMPDX_STATE_IDLE, "ompt_state_idle"},
		     {OMPDX_STATE_OVERHEAD, "ompt_state_overhead"},
		     {OMPDX_STATE_UNDEFINED, "ompt_state_undefined"}};
	struct session session = session_open("parallel");
	ompd_word_t next = OMPDX_STATE_UNDEFINED, more = 1;
	size_t met = 0;

	(void)state;
	while (more) {
		const char *name;

		assert_ok(ompd_enumerate_states(session.handle, next, &next, &name, &more));
		for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
			if (named[i].value != next)
				continue;
			assert_string_equal(name, named[i].name);
			met++;
		}
		assert_ok(fake_callbacks()->free_memory((void *)(uintptr_t)name));
	}
	assert_int_equal(met, sizeof(named) / sizeof(named[0]));
	session_close(&session);
}

/* A read that fails says nothing of tracking. */
static void test_failed_read(void **state)
{
	static const bool published[] = {false, true};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct fake_world world = {
			"",
			{8, false},
			{.layout = FAKE_LLVM_19, .published = published[i], .tracks_states = true}};
		struct session session = session_open_in(&world, fake_scenario("parallel"));
		ompd_thread_handle_t *thread =
			thread_handle(&session, fake_omp_thread(session.omp, 1));
		unsigned failed = 0;
		ompd_word_t value;
		ompd_rc_t rc;

		for (unsigned nth = 1; nth < 40; nth++) {
			fake_fault_plan(
				(struct fake_fault){FAKE_ANY_CALLBACK & ~(1u << FAKE_LOOKUP), nth,
						    false, ompd_rc_error});
			rc = ompd_get_state(thread, &value, NULL);
			assert_int_not_equal(rc, ompd_rc_needs_state_tracking);
			failed += rc == ompd_rc_error;
			/* And it is not remembered. */
			fake_fault_clear();
			assert_ok(ompd_get_state(thread, &value, NULL));
		}
		assert_true(failed > 0);
		session_close(&session);
	}
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_version),
		OPENED(test_enumeration_refuses),
		OPENED(test_tracked),
		OPENED(test_not_tracked),
		OPENED(test_tracked_for_a_tool),
		cmocka_unit_test(test_newer_barriers),
		OPENED(test_failed_read),
		OPENED(test_named_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
