/* SPDX-License-Identifier: Apache-2.0
 *
 * Does a tool that was compiled with the first declarations still walk what the library shows, today's blocks and
 * those of a library whose structs have grown?
 */
#include <stdlib.h>
#include <string.h>

#include "api_test.h"
#include "client.h"
#include "fake_locks.h"
#include "fake_loops.h"

#define MORE 24

static void *grown[16];
static size_t grown_count;

/* A copy of an array whose elements are longer, by bytes that say nothing; `sized': they begin with their size. */
static void *grow(const void *array, size_t count, uint64_t size, bool sized)
{
	const uint64_t longer = size + MORE;
	uint8_t *copy = malloc((count + 1) * longer);

	assert_non_null(copy);
	assert_true(count > 0);
	memset(copy, 0xff, (count + 1) * longer);
	for (size_t i = 0; i < count; i++) {
		memcpy(copy + i * longer, (const uint8_t *)array + i * size, size);
		if (sized)
			memcpy(copy + i * longer, &longer, sizeof(longer));
	}
	grown[grown_count++] = copy;
	return copy;
}

static void free_grown(void)
{
	while (grown_count)
		free(grown[--grown_count]);
}

static void check_view_of(const ompdx_view_t *view)
{
	const uint64_t seen = todays_client_view(view);
	ompdx_view_t longer = *view;

	assert_true(first_client_view(view) == seen);
	longer.threads = grow(view->threads, view->thread_count, view->threads->size, true);
	longer.regions = grow(view->regions, view->region_count, view->regions->size, true);
	longer.levels = grow(view->levels, view->level_count, view->level_size, false);
	longer.members = grow(view->members, view->member_count, view->member_size, false);
	longer.level_size += MORE;
	longer.member_size += MORE;
	assert_true(first_client_view(&longer) == seen);
	free_grown();
}

/* The fake has no dependences: some are put in. */
static void check_tasks_of(const ompdx_tasks_t *tasks)
{
	const ompdx_dependence_t dependences[] = {{0, 1}, {1, 0}};
	ompdx_tasks_t longer = *tasks;
	uint64_t seen;

	longer.dependences = dependences;
	longer.dependence_count = 2;
	seen = todays_client_tasks(&longer);
	assert_true(first_client_tasks(&longer) == seen);
	longer.tasks = grow(tasks->tasks, tasks->task_count, tasks->tasks->size, true);
	longer.dependences = grow(dependences, 2, tasks->dependence_size, false);
	longer.dependence_size += MORE;
	assert_true(first_client_tasks(&longer) == seen);
	free_grown();
}

static void check_locks_of(const ompdx_locks_t *locks)
{
	const uint64_t seen = todays_client_locks(locks);
	ompdx_locks_t longer = *locks;

	assert_true(first_client_locks(locks) == seen);
	longer.locks = grow(locks->locks, locks->lock_count, locks->locks->size, true);
	longer.waiters = grow(locks->waiters, locks->waiter_count, locks->waiter_size, false);
	longer.variables =
		grow(locks->variables, locks->variable_count, locks->variable_size, false);
	longer.waiter_size += MORE;
	longer.variable_size += MORE;
	assert_true(first_client_locks(&longer) == seen);
	free_grown();
}

static void check_others_of(const ompdx_arrivals_t *arrivals, const ompdx_loops_t *loops)
{
	const uint64_t arrived = todays_client_arrivals(arrivals);
	const uint64_t looping = todays_client_loops(loops);
	ompdx_arrivals_t longer = *arrivals;
	ompdx_loops_t longer_loops = *loops;

	assert_true(first_client_arrivals(arrivals) == arrived);
	assert_true(first_client_loops(loops) == looping);
	longer.arrivals = grow(arrivals->arrivals, arrivals->count, arrivals->arrivals->size, true);
	longer_loops.loops = grow(loops->loops, loops->count, loops->loops->size, true);
	assert_true(first_client_arrivals(&longer) == arrived);
	assert_true(first_client_loops(&longer_loops) == looping);
	free_grown();
}

static void test_client_of_the_first_header(void **state)
{
	struct fake_loop loop = {.width = 4,
				 .schedule = FAKE_DYNAMIC,
				 .ub = 99,
				 .st = 1,
				 .tc = 100,
				 .chunk = 4,
				 .index = 9};
	struct session session = session_open("parallel");
	struct fake_region *region = fake_omp_thread(session.omp, 0)->region;
	const struct fake_thread *waiter = fake_omp_thread(session.omp, 2);
	const uint64_t lock = fake_add_locks(session.omp, 2);
	ompdx_lock_variable_t variables[2] = {{.size = sizeof(variables[0]), .address = lock},
					      {.size = sizeof(variables[0]), .address = lock}};
	const uint64_t dispatches = fake_add_dispatch(region, session.omp);
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_arrivals_t *arrivals;
	const ompdx_tasks_t *tasks;
	const ompdx_locks_t *locks;
	const ompdx_loops_t *loops;
	const ompdx_view_t *view;

	(void)state;
	fake_hold_lock(session.omp, lock, fake_omp_thread(session.omp, 1), &waiter, 1);
	fake_begin_loop(session.omp, dispatches, 1, &loop);
	fake_begin_loop(session.omp, dispatches, 2, &loop);
	assert_ok(check_snapshot(session.handle, NULL, 0, &snapshot, &view));
	assert_ok(ompdx_snapshot_tasks(snapshot, &tasks));
	assert_ok(ompdx_snapshot_locks(snapshot, variables, 2, &locks));
	assert_ok(ompdx_snapshot_arrivals(snapshot, &arrivals));
	assert_ok(ompdx_snapshot_loops(snapshot, &loops));
	check_view_of(view);
	check_tasks_of(tasks);
	check_locks_of(locks);
	check_others_of(arrivals, loops);
	session_close(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_client_of_the_first_header, library_open,
						library_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
