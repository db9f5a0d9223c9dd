/* SPDX-License-Identifier: Apache-2.0
 *
 * Snapshots: what is refused, how long they live, whose notes they keep, that all parts are made of the same bytes,
 * and what that costs.
 */
#include <stdlib.h>
#include <string.h>

#include "api_test.h"
#include "fake_locks.h"

struct parts {
	const ompdx_view_t *view;
	const ompdx_tasks_t *tasks;
	const ompdx_locks_t *locks;
	const ompdx_arrivals_t *arrivals;
	const ompdx_loops_t *loops;
	const ompdx_icvs_t *icvs;
};

static struct parts parts_of(ompdx_snapshot_handle_t *snapshot)
{
	struct parts parts;

	assert_ok(ompdx_snapshot_view(snapshot, &parts.view));
	assert_ok(ompdx_snapshot_tasks(snapshot, &parts.tasks));
	assert_ok(ompdx_snapshot_locks(snapshot, NULL, 0, &parts.locks));
	assert_ok(ompdx_snapshot_arrivals(snapshot, &parts.arrivals));
	assert_ok(ompdx_snapshot_loops(snapshot, &parts.loops));
	assert_ok(ompdx_snapshot_icvs(snapshot, &parts.icvs));
	return parts;
}

static void test_arguments(void **state)
{
	struct session session = session_open("parallel");
	ompdx_lock_variable_t variable = {.size = sizeof(variable)};
	ompdx_native_thread_t native = {.size = sizeof(native)};
	ompdx_snapshot_handle_t *snapshot = UNTOUCHED;
	const ompdx_locks_t *locks = UNTOUCHED;

	(void)state;
	assert_rc(ompdx_snapshot_create(session.handle, NULL, 1, &snapshot), ompd_rc_bad_input);
	assert_rc(ompdx_snapshot_create(session.handle, NULL, 0, NULL), ompd_rc_bad_input);
	assert_rc(ompdx_snapshot_create(session.handle, &native, UINT64_MAX, &snapshot),
		  ompd_rc_bad_input);
	native.size = 8;
	assert_rc(ompdx_snapshot_create(session.handle, &native, 1, &snapshot), ompd_rc_bad_input);
	assert_ptr_equal(snapshot, UNTOUCHED);

	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot));
	assert_rc(ompdx_snapshot_view(snapshot, NULL), ompd_rc_bad_input);
	assert_rc(ompdx_snapshot_tasks(snapshot, NULL), ompd_rc_bad_input);
	assert_rc(ompdx_snapshot_arrivals(snapshot, NULL), ompd_rc_bad_input);
	assert_rc(ompdx_snapshot_loops(snapshot, NULL), ompd_rc_bad_input);
	assert_rc(ompdx_snapshot_diagnostics(snapshot, NULL), ompd_rc_bad_input);
	assert_rc(ompdx_snapshot_locks(snapshot, NULL, 0, NULL), ompd_rc_bad_input);
	assert_rc(ompdx_snapshot_locks(snapshot, NULL, 1, &locks), ompd_rc_bad_input);
	assert_rc(ompdx_snapshot_locks(snapshot, &variable, UINT64_MAX, &locks), ompd_rc_bad_input);
	variable.size = 8;
	assert_rc(ompdx_snapshot_locks(snapshot, &variable, 1, &locks), ompd_rc_bad_input);
	assert_ptr_equal(locks, UNTOUCHED);
	session_close(&session);
}

/* The process goes on: what was read before is what later parts are made of, too. */
static void test_same_bytes(void **state)
{
	struct session session = session_open("parallel");
	struct fake_thread *thread = fake_omp_thread(session.omp, 1);
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_tasks_t *tasks;
	const ompdx_view_t *view;
	unsigned problems;

	(void)state;
	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot));
	fake_set_member(session.omp, thread->address, FAKE_OFFSET_kmp_base_info_t__th_current_task,
			fake_omp_thread(session.omp, 0)->address);
	assert_ok(ompdx_snapshot_view(snapshot, &view));
	assert_null(check_view(session.omp, view, 0, &problems));
	assert_int_equal(problems, 0);
	assert_ok(ompdx_snapshot_tasks(snapshot, &tasks));
	assert_null(check_tasks(session.omp, view, tasks, false));
	session_close(&session);
}

/* A part that was shown is shown again; each goes with the snapshot, and that with its address space. */
static void test_life(void **state)
{
	struct session session = session_open("parallel");
	ompdx_snapshot_handle_t *snapshot, *other;
	const ompdx_view_t *again;
	struct parts parts;
	size_t blocks;

	(void)state;
	fake_add_locks(session.omp, 4);
	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot));
	parts = parts_of(snapshot);
	assert_ok(ompdx_snapshot_view(snapshot, &again));
	assert_ptr_equal(again, parts.view);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	assert_rc(ompdx_snapshot_view(snapshot, &again), ompd_rc_stale_handle);
	assert_rc(ompdx_snapshot_destroy(snapshot), ompd_rc_stale_handle);

	blocks = fake_live_blocks();
	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot));
	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &other));
	(void)parts_of(snapshot);
	(void)parts_of(other);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	(void)parts_of(other);
	assert_ok(ompdx_snapshot_destroy(other));
	assert_int_equal(fake_live_blocks(), blocks);

	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot));
	(void)parts_of(snapshot);
	session_close(&session);
	assert_rc(ompdx_snapshot_view(snapshot, &again), ompd_rc_stale_handle);
}

/* ---- Notes ---- */

static unsigned count_of(const ompdx_diagnostics_t *diagnostics, const char *code)
{
	unsigned found = 0;

	for (ompd_size_t i = 0; i < diagnostics->count; i++)
		found += strcmp(diagnostics->diagnostics[i].code, code) == 0;
	return found;
}

static unsigned noted_by(ompdx_snapshot_handle_t *snapshot, const char *code)
{
	const ompdx_diagnostics_t *diagnostics;

	assert_ok(ompdx_snapshot_diagnostics(snapshot, &diagnostics));
	return count_of(diagnostics, code);
}

static unsigned noted_of(const struct session *session, const char *code)
{
	ompdx_diagnostics_t *diagnostics;
	unsigned found;

	assert_ok(ompdx_get_diagnostics(session->handle, &diagnostics));
	found = count_of(diagnostics, code);
	assert_ok(fake_callbacks()->free_memory(diagnostics));
	return found;
}

/* A snapshot tells what its own reading met. What holds as long as the runtime is loaded is the handle's. */
static void test_diagnostics(void **state)
{
	static const struct fake_world world = {
		"", {8, false}, {.layout = FAKE_LLVM_UNKNOWN, .capacity = 128}};
	struct session session = session_open_in(&world, fake_scenario("sequential"));
	ompdx_snapshot_handle_t *damaged, *whole;

	(void)state;
	fake_parallel(fake_omp_thread(session.omp, 0), 64);
	for (size_t i = 1; i < 64; i++)
		fake_hide(session.target, fake_omp_thread(session.omp, i)->address, 512);
	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &damaged));
	fake_unhide_all(session.target);
	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &whole));
	assert_true(noted_by(damaged, "thread_unreadable") > 20);
	assert_int_equal(noted_by(whole, "thread_unreadable"), 0);
	assert_int_equal(noted_of(&session, "thread_unreadable"), 0);
	assert_int_equal(noted_of(&session, "record_unknown"), 1);
	assert_int_equal(noted_by(whole, "record_unknown"), 0);
	session_close(&session);
}

/* Also what a part met, and not again that of another. */
static void test_diagnostics_of_a_part(void **state)
{
	struct session session = session_open("tasks");
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_tasks_t *tasks;

	(void)state;
	for (size_t i = 0; i < fake_omp_thread_count(session.omp); i++) {
		const struct fake_thread *thread = fake_omp_thread(session.omp, i);

		if (thread->task)
			fake_set_member(session.omp, thread->task,
					FAKE_OFFSET_kmp_taskdata_t__td_parent, 4096);
	}
	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot));
	assert_int_equal(noted_by(snapshot, "task_unreadable"), 0);
	assert_ok(ompdx_snapshot_tasks(snapshot, &tasks));
	assert_int_equal(tasks->problem, ompdx_problem_unreadable);
	assert_int_equal(noted_by(snapshot, "task_unreadable"), 1);
	assert_int_equal(noted_of(&session, "task_unreadable"), 0);
	session_close(&session);
}

/* What kept a snapshot from being made is told by the handle. */
static void test_diagnostics_of_none(void **state)
{
	struct session session = session_open("parallel");
	ompdx_snapshot_handle_t *snapshot;

	(void)state;
	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot));
	fake_hide(session.target, fake_threads_array(session.omp) - 64, 4096);
	assert_rc(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot), ompd_rc_unavailable);
	assert_int_equal(noted_of(&session, "threads_not_found"), 1);
	session_close(&session);
}

/* ---- What it costs ---- */

static unsigned reads_since(struct fake_counts *before)
{
	const struct fake_counts now = fake_counts();
	const unsigned reads = now.calls[FAKE_READ] + now.calls[FAKE_READ_STRING] -
			       before->calls[FAKE_READ] - before->calls[FAKE_READ_STRING];

	*before = now;
	return reads;
}

static void check_cost(int outer, int inner)
{
	const struct fake_machine machine = {8, false};
	struct fake_libomp *omp = fake_process_create(
		machine, (struct fake_libomp_options){.layout = FAKE_LLVM_19, .capacity = 512});
	struct fake_region *region = fake_parallel(fake_root(omp), outer);
	ompd_address_space_handle_t *handle;
	ompdx_snapshot_handle_t *snapshot;
	ompdx_native_thread_t *natives;
	struct fake_counts counts;
	unsigned of_view, of_all;
	struct parts parts;
	uint64_t locks;
	size_t count;

	for (int i = 0; inner > 1 && i < outer; i++)
		fake_parallel(fake_member(region, i), inner);
	locks = fake_add_locks(omp, 100);
	for (unsigned i = 0; i < 20; i++) {
		const struct fake_thread *const waiter = fake_omp_thread(omp, i + 1);

		fake_hold_lock(omp, locks + i * FAKE_LOCK_SIZE, fake_omp_thread(omp, i), &waiter,
			       1);
	}
	natives = check_natives(fake_libomp_target(omp), &count);
	assert_ok(ompd_process_initialize(fake_context(fake_libomp_target(omp)), &handle));
	/* What is found once for all: the descriptors, the table of locks. */
	assert_ok(ompdx_snapshot_create(handle, natives, count, &snapshot));
	(void)parts_of(snapshot);
	assert_ok(ompdx_snapshot_destroy(snapshot));

	counts = fake_counts();
	assert_ok(ompdx_snapshot_create(handle, natives, count, &snapshot));
	of_view = reads_since(&counts);
	parts = parts_of(snapshot);
	of_all = of_view + reads_since(&counts);
	print_message("%zu threads: %u reads of the view, %u of everything\n", count, of_view,
		      of_all);
	assert_int_equal(parts.view->thread_count, count);
	assert_int_equal(parts.arrivals->count, fake_omp_thread_count(omp));
	assert_int_equal(parts.locks->lock_count, 20);
	assert_true(parts.tasks->task_count >= fake_omp_thread_count(omp));
	assert_true(of_all * 10 <= of_view * 13);
	(void)parts_of(snapshot);
	assert_int_equal(reads_since(&counts), 0);
	assert_ok(ompd_rel_address_space_handle(handle));
	free(natives);
	fake_process_destroy(omp);
}

static void test_cost(void **state)
{
	(void)state;
	check_cost(64, 1);
	check_cost(300, 1);
	check_cost(16, 4);
	check_cost(100, 3);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_arguments),
		OPENED(test_same_bytes),
		OPENED(test_life),
		OPENED(test_diagnostics),
		OPENED(test_diagnostics_of_a_part),
		OPENED(test_diagnostics_of_none),
		OPENED(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
