/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles: whatever a tool passes, a routine recognises what is not a handle, what was one, and what is one
 * of another kind; and it writes nothing then.
 */
#include <stdint.h>
#include <string.h>

#include "api_test.h"

enum kind { SPACE, THREAD, REGION, TASK, SNAPSHOT, KINDS };

/* Results go here; a call that fails must leave it as it was. */
static union {
	void *handle;
	const char *text;
	const char *const *texts;
	ompd_word_t word;
	ompd_wait_id_t wait_id;
	ompd_icv_id_t icv;
	int number;
	ompd_address_t address;
	ompd_frame_info_t frame;
	uint8_t bytes[sizeof(ompdx_runtime_info_t)];
} out, out_2, out_3, out_4;

/* A routine, called with one handle that matters and otherwise valid arguments. */
struct call {
	const char *name;
	enum kind kind;
	ompd_rc_t (*with)(void *handle);
};

/* Handles of each kind that are valid while a test runs. */
static void *valid[KINDS];
static ompd_address_space_context_t *context;

#define CALL(routine, ...)                                                                         \
	static ompd_rc_t call_##routine(void *h)                                                   \
	{                                                                                          \
		return routine(__VA_ARGS__);                                                       \
	}

static uint64_t some_id = 1;

CALL(ompd_rel_address_space_handle, h)
CALL(ompd_device_initialize, h, context, OMPD_DEVICE_KIND_CUDA, 8, &some_id, (void *)&out.handle)
CALL(ompd_get_device_thread_id_kinds, h, (void *)&out.handle, (void *)&out_2.handle, &out_3.number)
CALL(ompd_get_omp_version, h, &out.word)
CALL(ompd_get_omp_version_string, h, &out.text)
CALL(ompd_get_thread_handle, h, OMPD_THREAD_ID_PTHREAD, 8, &some_id, (void *)&out.handle)
CALL(ompd_enumerate_states, h, 0x102, &out.word, &out_2.text, &out_3.word)
CALL(ompd_get_display_control_vars, h, &out.texts)
CALL(ompd_enumerate_icvs, h, 0, &out.icv, &out_2.text, (ompd_scope_t *)&out_3.number, &out_4.number)
CALL(ompdx_get_diagnostics, h, (void *)&out.handle)
CALL(ompdx_snapshot_create, h, NULL, 0, (void *)&out.handle)
CALL(ompdx_freeze, h)
CALL(ompdx_thaw, h)
CALL(ompdx_snapshot_view, h, (void *)&out.handle)
CALL(ompdx_snapshot_tasks, h, (void *)&out.handle)
CALL(ompdx_snapshot_locks, h, NULL, 0, (void *)&out.handle)
CALL(ompdx_snapshot_arrivals, h, (void *)&out.handle)
CALL(ompdx_snapshot_loops, h, (void *)&out.handle)
CALL(ompdx_snapshot_doacross, h, 0, 0, NULL, 0, (void *)&out.handle)
CALL(ompdx_snapshot_icvs, h, (void *)&out.handle)
CALL(ompdx_snapshot_diagnostics, h, (void *)&out.handle)
CALL(ompdx_snapshot_destroy, h)

static ompd_rc_t call_ompdx_get_runtime_info(void *h)
{
	ompdx_runtime_info_t info = {.size = sizeof(info)};
	const ompdx_runtime_info_t before = info;
	const ompd_rc_t rc = ompdx_get_runtime_info(h, &info);

	if (rc != ompd_rc_ok)
		assert_memory_equal(&info, &before, sizeof(info));
	return rc;
}

CALL(ompd_rel_thread_handle, h)
CALL(ompd_get_thread_id, h, OMPD_THREAD_ID_PTHREAD, 8, out.bytes)
CALL(ompd_get_device_from_thread, h, (void *)&out.handle)
CALL(ompd_get_curr_parallel_handle, h, (void *)&out.handle)
CALL(ompd_get_curr_task_handle, h, (void *)&out.handle)
CALL(ompd_get_state, h, &out.word, &out_2.wait_id)

static ompd_rc_t call_thread_compare_first(void *h)
{
	return ompd_thread_handle_compare(h, valid[THREAD], &out.number);
}

static ompd_rc_t call_thread_compare_second(void *h)
{
	return ompd_thread_handle_compare(valid[THREAD], h, &out.number);
}

CALL(ompd_get_thread_in_parallel, h, 0, (void *)&out.handle)
CALL(ompd_get_enclosing_parallel_handle, h, (void *)&out.handle)
CALL(ompd_rel_parallel_handle, h)
CALL(ompd_get_task_in_parallel, h, 0, (void *)&out.handle)

static ompd_rc_t call_region_compare_first(void *h)
{
	return ompd_parallel_handle_compare(h, valid[REGION], &out.number);
}

static ompd_rc_t call_region_compare_second(void *h)
{
	return ompd_parallel_handle_compare(valid[REGION], h, &out.number);
}

CALL(ompd_get_task_parallel_handle, h, (void *)&out.handle)
CALL(ompd_rel_task_handle, h)
CALL(ompd_get_generating_task_handle, h, (void *)&out.handle)
CALL(ompd_get_scheduling_task_handle, h, (void *)&out.handle)
CALL(ompd_get_task_function, h, &out.address)
CALL(ompd_get_task_frame, h, &out.frame, &out_2.frame)

static ompd_rc_t call_task_compare_first(void *h)
{
	return ompd_task_handle_compare(h, valid[TASK], &out.number);
}

static ompd_rc_t call_task_compare_second(void *h)
{
	return ompd_task_handle_compare(valid[TASK], h, &out.number);
}

static ompd_rc_t call_icv_of_thread(void *h)
{
	return ompd_get_icv_from_scope(h, ompd_scope_thread, 1, &out.word);
}

static ompd_rc_t call_icv_of_region(void *h)
{
	return ompd_get_icv_from_scope(h, ompd_scope_parallel, 1, &out.word);
}

static ompd_rc_t call_icv_string(void *h)
{
	return ompd_get_icv_string_from_scope(h, ompd_scope_parallel, 1, &out.text);
}

static ompd_rc_t call_tool_data(void *h)
{
	return ompd_get_tool_data(h, ompd_scope_thread, &out.word, &out_2.address);
}

static const struct call calls[] = {
	{"ompd_rel_address_space_handle", SPACE, call_ompd_rel_address_space_handle},
	{"ompd_device_initialize", SPACE, call_ompd_device_initialize},
	{"ompd_get_device_thread_id_kinds", SPACE, call_ompd_get_device_thread_id_kinds},
	{"ompd_get_omp_version", SPACE, call_ompd_get_omp_version},
	{"ompd_get_omp_version_string", SPACE, call_ompd_get_omp_version_string},
	{"ompd_get_thread_handle", SPACE, call_ompd_get_thread_handle},
	{"ompd_enumerate_states", SPACE, call_ompd_enumerate_states},
	{"ompd_get_display_control_vars", SPACE, call_ompd_get_display_control_vars},
	{"ompd_enumerate_icvs", SPACE, call_ompd_enumerate_icvs},
	{"ompdx_get_runtime_info", SPACE, call_ompdx_get_runtime_info},
	{"ompdx_get_diagnostics", SPACE, call_ompdx_get_diagnostics},
	{"ompdx_snapshot_create", SPACE, call_ompdx_snapshot_create},
	{"ompdx_freeze", SPACE, call_ompdx_freeze},
	{"ompdx_thaw", SPACE, call_ompdx_thaw},
	{"ompd_rel_thread_handle", THREAD, call_ompd_rel_thread_handle},
	{"ompd_get_thread_id", THREAD, call_ompd_get_thread_id},
	{"ompd_get_device_from_thread", THREAD, call_ompd_get_device_from_thread},
	{"ompd_get_curr_parallel_handle", THREAD, call_ompd_get_curr_parallel_handle},
	{"ompd_get_curr_task_handle", THREAD, call_ompd_get_curr_task_handle},
	{"ompd_get_state", THREAD, call_ompd_get_state},
	{"ompd_thread_handle_compare, first", THREAD, call_thread_compare_first},
	{"ompd_thread_handle_compare, second", THREAD, call_thread_compare_second},
	{"ompd_get_icv_from_scope, thread", THREAD, call_icv_of_thread},
	{"ompd_get_tool_data", THREAD, call_tool_data},
	{"ompd_get_thread_in_parallel", REGION, call_ompd_get_thread_in_parallel},
	{"ompd_get_enclosing_parallel_handle", REGION, call_ompd_get_enclosing_parallel_handle},
	{"ompd_rel_parallel_handle", REGION, call_ompd_rel_parallel_handle},
	{"ompd_get_task_in_parallel", REGION, call_ompd_get_task_in_parallel},
	{"ompd_parallel_handle_compare, first", REGION, call_region_compare_first},
	{"ompd_parallel_handle_compare, second", REGION, call_region_compare_second},
	{"ompd_get_icv_from_scope, parallel", REGION, call_icv_of_region},
	{"ompd_get_icv_string_from_scope", REGION, call_icv_string},
	{"ompd_get_task_parallel_handle", TASK, call_ompd_get_task_parallel_handle},
	{"ompd_rel_task_handle", TASK, call_ompd_rel_task_handle},
	{"ompd_get_generating_task_handle", TASK, call_ompd_get_generating_task_handle},
	{"ompd_get_scheduling_task_handle", TASK, call_ompd_get_scheduling_task_handle},
	{"ompd_get_task_function", TASK, call_ompd_get_task_function},
	{"ompd_get_task_frame", TASK, call_ompd_get_task_frame},
	{"ompd_task_handle_compare, first", TASK, call_task_compare_first},
	{"ompd_task_handle_compare, second", TASK, call_task_compare_second},
	{"ompdx_snapshot_view", SNAPSHOT, call_ompdx_snapshot_view},
	{"ompdx_snapshot_tasks", SNAPSHOT, call_ompdx_snapshot_tasks},
	{"ompdx_snapshot_locks", SNAPSHOT, call_ompdx_snapshot_locks},
	{"ompdx_snapshot_arrivals", SNAPSHOT, call_ompdx_snapshot_arrivals},
	{"ompdx_snapshot_loops", SNAPSHOT, call_ompdx_snapshot_loops},
	{"ompdx_snapshot_doacross", SNAPSHOT, call_ompdx_snapshot_doacross},
	{"ompdx_snapshot_icvs", SNAPSHOT, call_ompdx_snapshot_icvs},
	{"ompdx_snapshot_diagnostics", SNAPSHOT, call_ompdx_snapshot_diagnostics},
	{"ompdx_snapshot_destroy", SNAPSHOT, call_ompdx_snapshot_destroy},
};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

/* ---- The session that the handles come from ---- */

static struct session session;

static void get_handles(void)
{
	struct fake_thread *thread = fake_omp_thread(session.omp, 1);
	ompdx_snapshot_handle_t *snapshot;

	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot));
	valid[SNAPSHOT] = snapshot;
	context = fake_context(session.target);
	valid[SPACE] = session.handle;
	valid[THREAD] = thread_handle(&session, thread);
	valid[REGION] = region_handle(&session, thread);
	valid[TASK] = task_handle(&session, thread);
}

static ompd_rc_t release(enum kind kind, void *handle)
{
	switch (kind) {
	case SPACE:
		return ompd_rel_address_space_handle(handle);
	case THREAD:
		return ompd_rel_thread_handle(handle);
	case REGION:
		return ompd_rel_parallel_handle(handle);
	case TASK:
		return ompd_rel_task_handle(handle);
	default:
		return ompdx_snapshot_destroy(handle);
	}
}

static void expect(const struct call *call, void *handle, ompd_rc_t expected, const char *what)
{
	uint8_t before[4][sizeof(out)];
	ompd_rc_t rc;

	memset(&out, 0x5a, sizeof(out));
	memset(&out_2, 0x5a, sizeof(out_2));
	memset(&out_3, 0x5a, sizeof(out_3));
	memset(&out_4, 0x5a, sizeof(out_4));
	memset(before, 0x5a, sizeof(before));
	rc = call->with(handle);
	if (rc != expected)
		fail_msg("%s with %s: code %d instead of %d", call->name, what, (int)rc,
			 (int)expected);
	if (memcmp(&out, before[0], sizeof(out)) != 0 ||
	    memcmp(&out_2, before[1], sizeof(out)) != 0 ||
	    memcmp(&out_3, before[2], sizeof(out)) != 0 ||
	    memcmp(&out_4, before[3], sizeof(out)) != 0)
		fail_msg("%s with %s: wrote an output", call->name, what);
}

/* ---- Tests ---- */

/* Without an address space, that routine tells of the last attempt to open one. */
static bool null_has_a_meaning(const struct call *call)
{
	return strcmp(call->name, "ompdx_get_diagnostics") == 0;
}

/* Numbers and pointers that never were handles, some of them not even readable memory. */
static void test_foreign(void **state)
{
	static int variable;
	void *const foreign[] = {NULL,
				 &variable,
				 (void *)(uintptr_t)1,
				 (void *)(uintptr_t)8,
				 (void *)(uintptr_t)0x10000,
				 (void *)(uintptr_t)0x100000000,
				 (void *)(uintptr_t)0x7fffffffffff,
				 (void *)UINTPTR_MAX,
				 (void *)(UINTPTR_MAX / 2)};

	(void)state;
	session = session_open("nested_three_deep");
	get_handles();
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		for (size_t c = 0; c < CALLS; c++) {
			if (foreign[i] || !null_has_a_meaning(&calls[c]))
				expect(&calls[c], foreign[i], ompd_rc_stale_handle, "no handle");
		}
	}
	session_close(&session);
}

static void test_context_as_handle(void **state)
{
	(void)state;
	session = session_open("parallel");
	get_handles();
	for (size_t c = 0; c < CALLS; c++)
		expect(&calls[c], context, ompd_rc_stale_handle, "the tool's own context");
	session_close(&session);
}

/* Each bit of a valid handle flipped: no other handle comes of it unless it is one of those we hold. */
static void test_damaged(void **state)
{
	(void)state;
	session = session_open("parallel");
	get_handles();
	for (int kind = THREAD; kind < KINDS; kind++) {
		for (unsigned bit = 0; bit < 8 * sizeof(void *); bit++) {
			void *damaged = (void *)((uintptr_t)valid[kind] ^ (uintptr_t)1 << bit);
			bool held = damaged == NULL;

			for (int other = 0; other < KINDS; other++)
				held = held || valid[other] == damaged;
			for (size_t c = 0; !held && c < CALLS; c++)
				expect(&calls[c], damaged, ompd_rc_stale_handle,
				       "a damaged handle");
		}
	}
	session_close(&session);
}

static void test_released(void **state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		void *released;

		session = session_open("nested_three_deep");
		get_handles();
		released = valid[kind];
		assert_ok(release((enum kind)kind, released));
		/* Another of the kind takes its place. */
		if (kind != SPACE)
			get_handles();
		for (size_t c = 0; c < CALLS; c++) {
			/* Comparing needs another valid handle, gone with the address space. */
			if (kind == SPACE || calls[c].kind == (enum kind)kind)
				expect(&calls[c], released, ompd_rc_stale_handle,
				       "a released handle");
		}
		if (kind != SPACE)
			assert_ok(ompd_rel_address_space_handle(session.handle));
		fake_process_destroy(session.omp);
	}
}

/* An address space takes its threads, regions, tasks and snapshots along. */
static void test_released_with_the_address_space(void **state)
{
	(void)state;
	session = session_open("nested_three_deep");
	get_handles();
	assert_ok(ompd_rel_address_space_handle(session.handle));
	for (size_t c = 0; c < CALLS; c++)
		expect(&calls[c], valid[calls[c].kind], ompd_rc_stale_handle,
		       "a handle of a closed address space");
	fake_process_destroy(session.omp);
}

/* The next address space may get the number of the last one: not its handles. */
static void test_not_reborn(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		void *old[KINDS];
		struct session next;

		session = session_open("parallel");
		get_handles();
		memcpy(old, valid, sizeof(old));
		session_close(&session);
		next = session_open("parallel");
		session = next;
		get_handles();
		for (int kind = 0; kind < KINDS; kind++) {
			if (release((enum kind)kind, old[kind]) != ompd_rc_stale_handle)
				fail_msg("round %u: an old handle of kind %d lives", round, kind);
		}
		session_close(&next);
	}
}

static void test_after_finalize(void **state)
{
	(void)state;
	session = session_open("parallel");
	get_handles();
	assert_ok(ompd_finalize());
	for (size_t c = 0; c < CALLS; c++) {
		const ompd_rc_t rc = calls[c].with(valid[calls[c].kind]);

		/* Either is right: no such handle, or no library. */
		if (rc != ompd_rc_stale_handle && rc != ompd_rc_error)
			fail_msg("%s after finalize: code %d", calls[c].name, (int)rc);
	}
	fake_process_destroy(session.omp);
	/* For the teardown. */
	assert_ok(ompd_initialize(OPENMP_6_0, fake_callbacks()));
}

/* A valid handle of the wrong kind: 6.0 has a code for it, which older tools do not know. */
static void wrong_kind(ompd_word_t api_version, ompd_rc_t expected)
{
	library_open_as(api_version);
	session = session_open("nested_three_deep");
	get_handles();
	for (int kind = 0; kind < KINDS; kind++) {
		for (size_t c = 0; c < CALLS; c++) {
			if (calls[c].kind != (enum kind)kind)
				expect(&calls[c], valid[kind], expected,
				       "a handle of another kind");
		}
	}
	session_close(&session);
	library_close_clean();
}

static void test_wrong_kind(void **state)
{
	(void)state;
	wrong_kind(OPENMP_6_0, ompd_rc_incompatible_handle);
	wrong_kind(OPENMP_5_2, ompd_rc_bad_input);
	wrong_kind(OPENMP_5_1, ompd_rc_bad_input);
	wrong_kind(OPENMP_5_0, ompd_rc_bad_input);
}

/* Handles of the same thing compare equal, others not, and the order is one. */
static void test_compare(void **state)
{
	const struct fake_thread *threads[4];
	void *handles[4];
	int order[4][4];

	(void)state;
	session = session_open("parallel");
	for (size_t i = 0; i < 4; i++) {
		threads[i] = fake_omp_thread(session.omp, i);
		handles[i] = thread_handle(&session, threads[i]);
	}
	for (size_t i = 0; i < 4; i++) {
		ompd_thread_handle_t *again = thread_handle(&session, threads[i]);
		int same = -1;

		assert_ok(ompd_thread_handle_compare(handles[i], again, &same));
		assert_int_equal(same, 0);
		for (size_t k = 0; k < 4; k++) {
			assert_ok(ompd_thread_handle_compare(handles[i], handles[k], &order[i][k]));
			assert_int_equal(order[i][k] == 0, i == k);
		}
	}
	for (size_t i = 0; i < 4; i++) {
		for (size_t k = 0; k < 4; k++) {
			assert_int_equal(order[i][k]<0, order[k][i]> 0);
			for (size_t m = 0; m < 4; m++) {
				if (order[i][k] < 0 && order[k][m] < 0)
					assert_true(order[i][m] < 0);
			}
		}
	}
	assert_rc(ompd_thread_handle_compare(handles[0], handles[1], NULL), ompd_rc_bad_input);
	session_close(&session);
}

/* Serialized regions that libomp keeps in one team are different regions. */
static void test_compare_serialized_regions(void **state)
{
	ompd_parallel_handle_t *inner, *outer, *again;
	int order = 0;

	(void)state;
	session = session_open("serialized_thrice");
	inner = region_handle(&session, fake_omp_thread(session.omp, 0));
	again = region_handle(&session, fake_omp_thread(session.omp, 0));
	assert_ok(ompd_parallel_handle_compare(inner, again, &order));
	assert_int_equal(order, 0);
	assert_ok(ompd_get_enclosing_parallel_handle(inner, &outer));
	assert_ok(ompd_parallel_handle_compare(inner, outer, &order));
	assert_int_not_equal(order, 0);
	assert_rc(ompd_parallel_handle_compare(inner, outer, NULL), ompd_rc_bad_input);
	session_close(&session);
}

static void test_compare_tasks(void **state)
{
	ompd_task_handle_t *first, *second, *again;
	int order = 0;

	(void)state;
	session = session_open("tasks");
	first = task_handle(&session, fake_omp_thread(session.omp, 1));
	again = task_handle(&session, fake_omp_thread(session.omp, 1));
	second = task_handle(&session, fake_omp_thread(session.omp, 2));
	assert_ok(ompd_task_handle_compare(first, again, &order));
	assert_int_equal(order, 0);
	assert_ok(ompd_task_handle_compare(first, second, &order));
	assert_int_not_equal(order, 0);
	assert_rc(ompd_task_handle_compare(first, second, NULL), ompd_rc_bad_input);
	session_close(&session);
}

/* Many handles, released in another order, and used again. */
static void test_many(void **state)
{
	enum { COUNT = 3000 };
	static ompd_thread_handle_t *handles[COUNT];
	int order;

	(void)state;
	session = session_open("parallel");
	for (unsigned round = 0; round < 2; round++) {
		for (size_t i = 0; i < COUNT; i++)
			handles[i] = thread_handle(&session, fake_omp_thread(session.omp, i % 4));
		for (size_t i = 0; i < COUNT; i += 3) {
			assert_ok(ompd_rel_thread_handle(handles[i]));
			assert_rc(ompd_rel_thread_handle(handles[i]), ompd_rc_stale_handle);
		}
		for (size_t i = 1; i + 3 < COUNT; i += 3) {
			assert_ok(ompd_thread_handle_compare(handles[i], handles[i + 3], &order));
			assert_int_equal(order == 0, false);
			assert_ok(ompd_rel_thread_handle(handles[i]));
		}
	}
	session_close(&session);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_foreign),
		OPENED(test_context_as_handle),
		OPENED(test_damaged),
		OPENED(test_released),
		OPENED(test_released_with_the_address_space),
		OPENED(test_not_reborn),
		OPENED(test_after_finalize),
		cmocka_unit_test(test_wrong_kind),
		OPENED(test_compare),
		OPENED(test_compare_serialized_regions),
		OPENED(test_compare_tasks),
		OPENED(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
