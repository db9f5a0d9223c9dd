/* SPDX-License-Identifier: Apache-2.0
 *
 * Every callback fails once, in every scenario: does the library then say nothing that is not true, free
 * what it allocated, and recover as soon as the tool does?
 */
#include <stdlib.h>

#include "api_test.h"

struct process {
	const struct fake_world *world;
	const struct fake_scenario *scenario;
	struct fake_libomp *omp;
	ompdx_native_thread_t *natives;
	size_t native_count;
};

/* Each part of a snapshot. NULL or what is not true. */
static const char *look_at_parts(const struct process *process, ompdx_snapshot_handle_t *snapshot,
				 unsigned damaged, bool *everything, unsigned *problems)
{
	const bool recorded = fake_has_record(process->omp);
	const ompdx_diagnostics_t *diagnostics;
	const ompdx_arrivals_t *arrivals;
	const char *difference = NULL;
	const ompdx_tasks_t *tasks;
	const ompdx_loops_t *loops;
	const ompdx_locks_t *locks;
	const ompdx_icvs_t *icvs;
	const ompdx_view_t *view;
	ompd_rc_t rc = ompdx_snapshot_view(snapshot, &view);

	*everything = *everything && rc == ompd_rc_ok;
	if (rc != ompd_rc_ok)
		return NULL;
	difference = check_view(process->omp, view, CHECK_NATIVES | damaged, problems);
	if (difference)
		return difference;
	rc = ompdx_snapshot_tasks(snapshot, &tasks);
	*everything = *everything && (rc == ompd_rc_ok || !recorded);
	if (rc == ompd_rc_ok)
		difference = check_tasks(process->omp, view, tasks, damaged != 0);
	rc = ompdx_snapshot_arrivals(snapshot, &arrivals);
	*everything = *everything && (rc == ompd_rc_ok || !recorded);
	(void)ompdx_snapshot_locks(snapshot, NULL, 0, &locks);
	(void)ompdx_snapshot_loops(snapshot, &loops);
	(void)ompdx_snapshot_icvs(snapshot, &icvs);
	rc = ompdx_snapshot_diagnostics(snapshot, &diagnostics);
	*everything = *everything && rc == ompd_rc_ok;
	return difference;
}

/* Asks all there is to ask; what is answered has to be true. NULL or what is not. */
static const char *look(const struct process *process, ompd_address_space_handle_t *handle,
			unsigned damaged, bool *everything)
{
	ompdx_runtime_info_t info = {.size = sizeof(info)};
	ompdx_diagnostics_t *diagnostics;
	ompdx_entry_points_t *points;
	ompdx_snapshot_handle_t *snapshot;
	const char *difference;
	unsigned problems = 0;
	ompd_rc_t rc;

	*everything = ompdx_get_runtime_info(handle, &info) == ompd_rc_ok;
	/* A symbol that the debugger denies is not there: of a program that exports nothing the version may be
	 * taken for an older one. */
	if (*everything && info.version != -1 && process->world->options.linkage == FAKE_SHARED &&
	    info.version != fake_expected_version(process->omp))
		return "another version";
	rc = ompdx_entry_points(handle, &points);
	if (rc == ompd_rc_ok || rc == ompd_rc_incomplete)
		fake_callbacks()->free_memory(points);
	rc = ompdx_get_diagnostics(handle, &diagnostics);
	*everything = *everything && rc == ompd_rc_ok;
	if (rc == ompd_rc_ok)
		fake_callbacks()->free_memory(diagnostics);
	rc = ompdx_snapshot_create(handle, process->natives, process->native_count, &snapshot);
	*everything = *everything && rc == ompd_rc_ok;
	if (rc == ompd_rc_ok) {
		difference = look_at_parts(process, snapshot, damaged, everything, &problems);
		(void)ompdx_snapshot_destroy(snapshot);
		if (difference)
			return difference;
	}
	difference = check_standard(process->omp, handle, &rc);
	*everything = *everything && rc == ompd_rc_ok && problems == 0;
	return difference;
}

static const char *find(const struct process *process)
{
	ompd_address_space_context_t *context = fake_context(fake_libomp_target(process->omp));
	ompdx_runtimes_t *runtimes;
	const char *wrong = NULL;

	if (ompdx_find_runtimes(context, NULL, 0, &runtimes) != ompd_rc_ok)
		return NULL;
	for (ompd_size_t i = 0; i < runtimes->count; i++) {
		if (runtimes->runtimes[i].image.load_bias != fake_libomp_image(process->omp)->bias)
			wrong = "found a runtime that is none";
	}
	fake_callbacks()->free_memory(runtimes);
	return wrong;
}

/* One life of an address space with a fault in it, and without from its middle on. */
static const char *live(const struct process *process, const struct fake_fault *fault)
{
	ompd_address_space_context_t *context = fake_context(fake_libomp_target(process->omp));
	ompd_address_space_handle_t *handle;
	const char *wrong = NULL;
	bool everything = false;
	bool opened;

	fake_fault_plan(*fault);
	opened = ompd_process_initialize(context, &handle) == ompd_rc_ok;
	if (opened)
		wrong = look(process, handle, CHECK_DAMAGED, &everything);
	if (!wrong)
		wrong = find(process);
	fake_fault_clear();
	if (!opened && ompd_process_initialize(context, &handle) != ompd_rc_ok)
		return "does not open any more";
	if (!wrong)
		wrong = look(process, handle, 0, &everything);
	if (!wrong && !everything)
		wrong = "does not recover";
	if (ompd_rel_address_space_handle(handle) != ompd_rc_ok)
		wrong = "cannot be closed";
	if (!wrong && fake_live_blocks())
		wrong = "leaks";
	if (!wrong && fake_violations())
		wrong = fake_first_violation();
	return wrong;
}

/* Until a fault is planned for a call that never comes. */
static unsigned fail_each_call(const struct process *process, unsigned callbacks, ompd_rc_t rc,
			       bool persistent)
{
	struct fake_fault fault = {callbacks, 1, persistent, rc};
	unsigned failures = 0;
	bool struck;

	do {
		const char *wrong = live(process, &fault);

		struck = fake_fault_struck();

		if (wrong) {
			print_error("%s: %s: callbacks %#x fail with %d at %u%s: %s\n",
				    process->world->name, process->scenario->name, callbacks,
				    (int)rc, fault.nth, persistent ? " and after" : "", wrong);
			failures++;
			/* What is left over is no concern of the next life. */
			fake_debugger_reset();
		}
		fault.nth += one_in();
	} while (struck && failures < 5);
	return failures;
}

struct plan {
	unsigned callbacks;
	ompd_rc_t rc;
	bool persistent;
};

static unsigned fail_in(const struct fake_world *world, const struct fake_scenario *scenario,
			const struct plan *plans, size_t plan_count)
{
	struct process process = {.world = world, .scenario = scenario};
	unsigned failures = 0;

	process.omp = fake_world_create(world, scenario);
	process.natives = check_natives(fake_libomp_target(process.omp), &process.native_count);
	for (size_t i = 0; i < plan_count; i++)
		failures += fail_each_call(&process, plans[i].callbacks, plans[i].rc,
					   plans[i].persistent);
	free(process.natives);
	fake_process_destroy(process.omp);
	return failures;
}

/* Every scenario on one machine, one scenario on every machine. */
static void fail_everywhere(const struct plan *plans, size_t plan_count)
{
	unsigned failures = 0;

	for (size_t s = 0; s < fake_scenario_count; s++)
		failures += fail_in(&fake_worlds[2], &fake_scenarios[s], plans, plan_count);
	for (size_t w = 0; w < fake_world_count; w++)
		failures += fail_in(&fake_worlds[w], fake_scenario("nested_three_deep"), plans,
				    plan_count);
	if (failures)
		fail_msg("%u lies, leaks or dead ends", failures);
}

/* One call fails, whichever callback it is of. */
static void test_transient(void **state)
{
	static const struct plan plans[] = {{FAKE_ANY_CALLBACK, ompd_rc_error, false},
					    {FAKE_ANY_CALLBACK, ompd_rc_stale_handle, false}};

	(void)state;
	fail_everywhere(plans, 2);
}

/* From some moment on a callback always fails, or all do. */
static void test_persistent(void **state)
{
	static const struct plan plans[] = {
		{1u << FAKE_ALLOC, ompd_rc_error, true},
		{1u << FAKE_LOOKUP, ompd_rc_error, true},
		{1u << FAKE_READ, ompd_rc_error, true},
		{1u << FAKE_READ_STRING, ompd_rc_error, true},
		{1u << FAKE_THREAD_CONTEXT, ompd_rc_unsupported, true},
		{1u << FAKE_THREAD_CONTEXT, ompd_rc_unavailable, true},
		{FAKE_ANY_CALLBACK, ompd_rc_stale_handle, true},
	};

	(void)state;
	fail_everywhere(plans, sizeof(plans) / sizeof(plans[0]));
}

/* An allocator that says yes and gives nothing. */
static void test_allocation_of_nothing(void **state)
{
	const struct fake_scenario *scenario = fake_scenario("nested_three_deep");
	struct process process = {.world = &fake_worlds[2], .scenario = scenario};

	(void)state;
	process.omp = fake_world_create(process.world, scenario);
	process.natives = check_natives(fake_libomp_target(process.omp), &process.native_count);
	/* A failed call does nothing: with `ok` the pointer stays what the library made of it. */
	assert_int_equal(fail_each_call(&process, 1u << FAKE_ALLOC, ompd_rc_ok, false), 0);
	assert_int_equal(fail_each_call(&process, 1u << FAKE_ALLOC, ompd_rc_ok, true), 0);
	free(process.natives);
	fake_process_destroy(process.omp);
}

/* The name of a test: only this one, so that they can run side by side. */
int main(int argc, char **argv)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_transient),
		OPENED(test_persistent),
		OPENED(test_allocation_of_nothing),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
