/* SPDX-License-Identifier: Apache-2.0
 *
 * The ICVs of all threads at once: each is what OMPD's own routines tell of it, one by one.
 */
#include <stdlib.h>
#include <string.h>

#include "api_test.h"

/* What the value's row is of. A thread that is in no region, or no OpenMP thread, has no handles. */
struct handles {
	ompd_address_space_handle_t *space;
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *region;
	ompd_task_handle_t *task;
};

static void *handle_of(const struct handles *handles, ompd_scope_t scope)
{
	switch (scope) {
	case ompd_scope_address_space:
		return handles->space;
	case ompd_scope_thread:
		return handles->thread;
	case ompd_scope_parallel:
		return handles->region;
	case ompd_scope_task:
		return handles->task;
	default:
		fail_msg("an ICV of scope %d", (int)scope);
		return NULL;
	}
}

static void check_value(const ompdx_icv_t *icv, const ompdx_icv_value_t *value, void *handle)
{
	const char *text = NULL;
	ompd_word_t number = 0;
	ompd_rc_t rc = handle ? ompd_get_icv_from_scope(handle, icv->scope, icv->id, &number)
			      : ompd_rc_unavailable;

	assert_int_equal(!!(value->known & OMPDX_ICV_NUMBER),
			 rc == ompd_rc_ok || rc == ompd_rc_incomplete);
	assert_int_equal(value->number, number);
	rc = handle ? ompd_get_icv_string_from_scope(handle, icv->scope, icv->id, &text)
		    : ompd_rc_unavailable;
	assert_int_equal(!!(value->known & OMPDX_ICV_TEXT), rc == ompd_rc_ok);
	if (rc != ompd_rc_ok) {
		assert_null(value->text);
		return;
	}
	assert_string_equal(value->text, text);
	assert_ok(fake_callbacks()->free_memory((void *)(uintptr_t)text));
}

/* How many are known. */
static size_t check_row(const ompdx_icvs_t *icvs, uint32_t row, const struct handles *handles)
{
	const ompdx_icv_value_t *values = icvs->values + (size_t)row * icvs->icv_count;
	size_t known = 0;

	for (uint32_t i = 0; i < icvs->icv_count; i++) {
		check_value(&icvs->icvs[i], &values[i], handle_of(handles, icvs->icvs[i].scope));
		known += values[i].known != 0;
	}
	return known;
}

static void release(const struct handles *handles)
{
	if (handles->thread)
		assert_ok(ompd_rel_thread_handle(handles->thread));
	if (handles->region)
		assert_ok(ompd_rel_parallel_handle(handles->region));
	if (handles->task)
		assert_ok(ompd_rel_task_handle(handles->task));
}

static struct handles of_thread(const struct session *session, uint64_t pthread_id)
{
	struct handles found = {.thread = NULL};
	ompd_thread_handle_t *thread;

	if (check_thread_handle(session->handle, session->target, pthread_id, &thread) !=
	    ompd_rc_ok)
		return found;
	if (ompd_get_curr_parallel_handle(thread, &found.region) == ompd_rc_ok) {
		assert_ok(ompd_get_curr_task_handle(thread, &found.task));
		found.thread = thread;
	} else {
		assert_ok(ompd_rel_thread_handle(thread));
	}
	return found;
}

/* The program's first thread, and its task outside of all regions. */
static struct handles of_process(const struct session *session)
{
	struct handles found = of_thread(session, fake_omp_thread(session->omp, 0)->pthread_id);
	ompd_parallel_handle_t *outer;

	assert_non_null(found.region);
	while (ompd_get_enclosing_parallel_handle(found.region, &outer) == ompd_rc_ok) {
		assert_ok(ompd_rel_parallel_handle(found.region));
		found.region = outer;
	}
	assert_ok(ompd_rel_task_handle(found.task));
	assert_ok(ompd_get_task_in_parallel(found.region, 0, &found.task));
	assert_ok(ompd_rel_parallel_handle(found.region));
	found.region = NULL;
	found.space = session->handle;
	return found;
}

static void check_list(const struct session *session, const ompdx_icvs_t *icvs)
{
	ompd_icv_id_t id = ompd_icv_undefined;
	uint32_t count = 0;
	int more = 1;

	for (; more; count++) {
		const char *name;
		ompd_scope_t scope;

		assert_ok(ompd_enumerate_icvs(session->handle, id, &id, &name, &scope, &more));
		assert_true(count < icvs->icv_count);
		assert_int_equal(icvs->icvs[count].id, id);
		assert_int_equal(icvs->icvs[count].scope, scope);
		assert_string_equal(icvs->icvs[count].name, name);
		assert_ok(fake_callbacks()->free_memory((void *)(uintptr_t)name));
	}
	assert_int_equal(count, icvs->icv_count);
}

/* Returns how many values are known. */
static size_t check_world(const struct fake_world *world, const struct fake_scenario *scenario)
{
	struct session session = session_open_in(world, scenario);
	ompdx_snapshot_handle_t *snapshot;
	ompdx_native_thread_t *natives;
	const ompdx_icvs_t *icvs;
	const ompdx_view_t *view;
	struct handles handles;
	size_t known = 0, count;

	natives = check_natives(session.target, &count);
	assert_ok(check_snapshot(session.handle, natives, count, &snapshot, &view));
	assert_ok(ompdx_snapshot_icvs(snapshot, &icvs));
	assert_int_equal(icvs->size, sizeof(*icvs));
	assert_int_equal(icvs->value_size, sizeof(*icvs->values));
	assert_int_equal(icvs->problem, ompdx_problem_none);
	assert_int_equal(icvs->row_count, view->thread_count + 1);
	check_list(&session, icvs);
	for (uint32_t i = 0; i < view->thread_count; i++) {
		handles = of_thread(&session, view->threads[i].pthread_id);
		known += check_row(icvs, i, &handles);
		release(&handles);
	}
	handles = of_process(&session);
	known += check_row(icvs, view->thread_count, &handles);
	release(&handles);
	free(natives);
	session_close(&session);
	return known;
}

static void test_as_one_by_one(void **state)
{
	(void)state;
	for (size_t w = 0; w < fake_world_count; w++) {
		size_t known = 0;

		for (size_t s = 0; s < fake_scenario_count; s++)
			known += check_world(&fake_worlds[w], &fake_scenarios[s]);
		assert_true(known > 30 * fake_scenario_count);
	}
}

/* Names, and who sees which, are the version's. */
static void test_versions(void **state)
{
	static const ompd_word_t versions[] = {OPENMP_5_0, OPENMP_5_1, OPENMP_5_2, OPENMP_6_0};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		library_open_as(versions[i]);
		assert_true(check_world(&fake_worlds[0], fake_scenario("parallel")) > 50);
		library_close_clean();
	}
}

static unsigned reads(void)
{
	const struct fake_counts counts = fake_counts();

	return counts.calls[FAKE_READ] + counts.calls[FAKE_READ_STRING];
}

/* Of a team's threads little is read that the view has not read; what is shown again, not at all. */
static void test_cost(void **state)
{
	struct fake_libomp *omp = fake_process_create(
		(struct fake_machine){8, false},
		(struct fake_libomp_options){.layout = FAKE_LLVM_19, .capacity = 512});
	ompdx_snapshot_handle_t *snapshot;
	ompd_address_space_handle_t *handle;
	const ompdx_icvs_t *icvs, *again;
	const ompdx_view_t *view;
	unsigned of_view, of_all;

	(void)state;
	fake_parallel(fake_root(omp), 300);
	assert_ok(ompd_process_initialize(fake_context(fake_libomp_target(omp)), &handle));
	assert_ok(check_snapshot(handle, NULL, 0, &snapshot, &view));
	of_view = reads();
	assert_ok(check_snapshot(handle, NULL, 0, &snapshot, &view));
	of_view = reads() - of_view;
	of_all = reads();
	assert_ok(ompdx_snapshot_icvs(snapshot, &icvs));
	of_all = of_view + reads() - of_all;
	print_message("300 threads: %u reads of the view, %u with ICVs\n", of_view, of_all);
	assert_int_equal(icvs->row_count, 301);
	assert_true(of_all * 10 <= of_view * 13);
	of_all = reads();
	assert_ok(ompdx_snapshot_icvs(snapshot, &again));
	assert_ptr_equal(icvs, again);
	assert_int_equal(reads(), of_all);
	assert_ok(ompd_rel_address_space_handle(handle));
	fake_process_destroy(omp);
}

static void test_refuses(void **state)
{
	struct session session = session_open("parallel");
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;

	(void)state;
	assert_ok(check_snapshot(session.handle, NULL, 0, &snapshot, &view));
	assert_rc(ompdx_snapshot_icvs(snapshot, NULL), ompd_rc_bad_input);
	session_close(&session);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_as_one_by_one),
		cmocka_unit_test(test_versions),
		OPENED(test_cost),
		OPENED(test_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
