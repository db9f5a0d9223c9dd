/* SPDX-License-Identifier: Apache-2.0
 *
 * A program on libgomp looks at itself: its threads record what omp_get_*() answers them, and park; one that uses no
 * OpenMP compares that with what the library says of them.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ompd-ext.h"
#include "own_process.h"
#include "settle.h"

#define RECORDS_MAX 64
#define LEVELS_MAX 8

struct record {
	uint64_t lwp, pthread;
	int kind; /* ompdx_thread_kind_t; 0: an OpenMP thread, whichever */
	bool idle;
	int level, active_level, num_teams, team_num, final;
	int numbers[LEVELS_MAX], sizes[LEVELS_MAX];
	ompdx_task_kind_t task;
};

static struct record records[RECORDS_MAX];
static int recorded, expected;
static volatile int go_on;

static struct record *new_record(void)
{
	struct record *record = &records[__atomic_fetch_add(&recorded, 1, __ATOMIC_ACQ_REL)];

	memset(record, 0, sizeof(*record));
	record->lwp = (uint64_t)syscall(SYS_gettid);
	record->pthread = (uint64_t)pthread_self();
	return record;
}

static int parked;

/* Waits where a debugger would look. */
static void park(void)
{
	__atomic_add_fetch(&parked, 1, __ATOMIC_ACQ_REL);
	while (!go_on)
		usleep(500);
}

static void record_and_park(ompdx_task_kind_t task)
{
	struct record *record = new_record();

	record->level = omp_get_level();
	record->active_level = omp_get_active_level();
	record->num_teams = omp_get_num_teams();
	record->team_num = omp_get_team_num();
	record->final = omp_in_final();
	record->task = task;
	for (int i = 0; i <= record->level; i++) {
		record->numbers[i] = omp_get_ancestor_thread_num(i);
		record->sizes[i] = omp_get_team_size(i);
	}
	park();
}

/* The thread that looks must not leave its function: it notes what is wrong first. */
static char wrong[128];
static unsigned facts;

static void note(long told, long correct, int line)
{
	facts++;
	if (told != correct && !wrong[0])
		snprintf(wrong, sizeof(wrong), "line %d: told %ld, true %ld", line, told, correct);
}

#define expect(told, correct) note((long)(told), (long)(correct), __LINE__)

static ompd_address_space_handle_t *open_library(void)
{
	ompd_address_space_handle_t *handle = NULL;

	expect(ompd_initialize(202411, own_callbacks()), ompd_rc_ok);
	expect(ompd_process_initialize(own_context(), &handle), ompd_rc_ok);
	return handle;
}

static void close_library(ompd_address_space_handle_t *handle)
{
	expect(ompd_rel_address_space_handle(handle), ompd_rc_ok);
	expect(ompd_finalize(), ompd_rc_ok);
	expect(own_live_blocks(), 0);
}

static void compare_levels(const struct record *record, const ompdx_view_t *view,
			   const ompdx_view_thread_t *thread)
{
	const int outer = record->num_teams > 1 ? 2 : 1;

	expect(thread->level_count, record->level + outer);
	for (uint32_t i = 0; i < thread->level_count; i++) {
		const ompdx_view_level_t *at = &view->levels[thread->level_first + i];
		const ompdx_view_region_t *region = &view->regions[at->region];
		const int level = record->level > (int)i ? record->level - (int)i : 0;

		expect(region->problem, ompdx_problem_none);
		expect(region->level, level);
		expect(at->thread_num, record->numbers[level]);
		expect(region->team_size, record->sizes[level]);
		expect(region->serialized, level > 0 && region->team_size == 1);
		if (i == 0)
			expect(region->active_level, record->active_level);
		if (region->generator == ompd_generator_teams) {
			expect(region->league_size, record->num_teams);
			expect(region->team_num, record->team_num);
		}
		expect(region->parent == UINT32_MAX, i + 1 == thread->level_count);
		if (level == record->level && i == 0)
			expect(view->members[region->member_first + (uint32_t)at->thread_num],
			       thread - view->threads);
	}
}

static void compare(const struct record *record, const ompdx_view_t *view,
		    const ompdx_view_thread_t *thread)
{
	expect(thread->problem, ompdx_problem_none);
	expect(thread->pthread_id, record->pthread);
	if (record->kind)
		expect(thread->kind, record->kind);
	else
		expect(thread->kind != ompdx_thread_none, 1);
	if (record->idle) {
		expect(thread->level_count, 0);
		return;
	}
	compare_levels(record, view, thread);
	expect(thread->task_kind, record->task);
	expect(thread->task_final, record->final);
}

enum natives { BY_LWP, BY_PTHREAD, NONE };

/* The threads that have recorded, and the one that looks, which is none of OpenMP's. */
static void look(ompd_address_space_handle_t *handle, enum natives how)
{
	ompdx_native_thread_t natives[RECORDS_MAX + 1];
	const unsigned count = (unsigned)recorded;
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;

	memset(natives, 0, sizeof(natives));
	for (unsigned i = 0; i <= count; i++) {
		natives[i].size = sizeof(natives[i]);
		natives[i].known = how == BY_LWP ? OMPDX_NATIVE_LWP : OMPDX_NATIVE_PTHREAD;
		natives[i].lwp = i < count ? records[i].lwp : (uint64_t)syscall(SYS_gettid);
		natives[i].pthread_id = i < count ? records[i].pthread : (uint64_t)pthread_self();
	}
	own_reads();
	expect(ompdx_snapshot_create(handle, how == NONE ? NULL : natives,
				     how == NONE ? 0 : count + 1, &snapshot),
	       ompd_rc_ok);
	print_message("%u threads: %ld reads\n", count, own_reads());
	expect(ompdx_snapshot_view(snapshot, &view), ompd_rc_ok);
	expect(view->problem, ompdx_problem_none);
	for (unsigned i = 0; i < count; i++) {
		uint32_t at = i;

		for (at = how == NONE ? 0 : i; at < view->thread_count; at++) {
			if (view->threads[at].pthread_id == records[i].pthread)
				break;
		}
		expect(at < view->thread_count, 1);
		if (at >= view->thread_count)
			continue;
		if (how != NONE)
			expect(at, i);
		compare(&records[i], view, &view->threads[at]);
	}
	if (how != NONE) {
		expect(view->threads[count].kind, ompdx_thread_none);
		expect(view->threads[count].problem, ompdx_problem_none);
	}
	expect(ompdx_snapshot_destroy(snapshot), ompd_rc_ok);
}

/* What the standard routines say of a thread: its regions outwards. */
static void ask(ompd_address_space_handle_t *handle, const struct record *record)
{
	const int outer = record->num_teams > 1 ? 2 : 1;
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *region, *next;
	ompd_rc_t rc;
	int regions = 0;

	expect(ompd_get_thread_handle(handle, OMPD_THREAD_ID_LWP, 8, &record->lwp, &thread),
	       ompd_rc_ok);
	rc = ompd_get_curr_parallel_handle(thread, &region);
	while (rc == ompd_rc_ok) {
		regions++;
		rc = ompd_get_enclosing_parallel_handle(region, &next);
		ompd_rel_parallel_handle(region);
		region = next;
	}
	expect(rc, ompd_rc_unavailable);
	expect(regions, record->idle ? 0 : record->level + outer);
	ompd_rel_thread_handle(thread);
}

static void *observe(void *ignored)
{
	ompd_address_space_handle_t *handle;

	(void)ignored;
	while (__atomic_load_n(&parked, __ATOMIC_ACQUIRE) < expected)
		usleep(500);
	/* Those who end a region go to the dock a moment later. */
	settle();
	handle = open_library();
	look(handle, BY_LWP);
	look(handle, BY_PTHREAD);
	look(handle, NONE);
	for (int i = 0; i < recorded; i++)
		ask(handle, &records[i]);
	close_library(handle);
	go_on = 1;
	return NULL;
}

static pthread_t observer;

static void begin(int threads)
{
	recorded = parked = go_on = 0;
	wrong[0] = 0;
	expected = threads;
	assert_int_equal(pthread_create(&observer, NULL, observe, NULL), 0);
}

static void end(void)
{
	assert_int_equal(pthread_join(observer, NULL), 0);
	assert_string_equal(wrong, "");
}

static void test_nested(void **state)
{
	(void)state;
	begin(6);
#pragma omp parallel num_threads(3)
	{
		const int outer = omp_get_thread_num();

		if (outer == 0) {
#pragma omp parallel num_threads(1)
			{
#pragma omp parallel num_threads(2)
				record_and_park(ompdx_task_implicit);
			}
		} else if (outer == 1) {
#pragma omp parallel num_threads(3)
			if (omp_get_thread_num() == 2) {
#pragma omp task final(1)
				record_and_park(ompdx_task_explicit);
#pragma omp taskwait
			} else {
				record_and_park(ompdx_task_implicit);
			}
		} else {
#pragma omp task if (0)
			record_and_park(ompdx_task_explicit);
		}
	}
	end();
}

/* Regions nested in serialized ones: their threads are in no pool. */
static void test_inside_serialized(void **state)
{
	(void)state;
	begin(3);
#pragma omp parallel num_threads(1)
	{
#pragma omp parallel num_threads(3)
		record_and_park(ompdx_task_implicit);
	}
	end();
}

/* A worker has recorded itself; then its region ended. */
static void test_idle(void **state)
{
	(void)state;
	begin(1);
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() > 0) {
			struct record *record = new_record();

			record->idle = true;
			record->kind = ompdx_thread_worker;
		}
	}
	record_and_park(ompdx_task_initial);
	records[recorded - 1].kind = ompdx_thread_initial;
	end();
	/* The same team again, with fewer threads: those without work are idle, or have ended. */
	begin(2);
#pragma omp parallel num_threads(2)
	record_and_park(ompdx_task_implicit);
	end();
}

#ifndef WITHOUT_TEAMS /* which make a program that needs GCC 9's libgomp */
static void test_teams(void **state)
{
	(void)state;
	/* GCC 11 and older record leagues in variables that nothing leads to. */
	if (!dlvsym(RTLD_DEFAULT, "GOMP_teams4", "GOMP_5.1"))
		skip();
	begin(2);
#pragma omp teams num_teams(3) thread_limit(2)
	{
		if (omp_get_team_num() == 1) {
#pragma omp parallel num_threads(2)
			record_and_park(ompdx_task_implicit);
		}
	}
	end();
}

#endif

static void *be_root(void *ignored)
{
	(void)ignored;
#pragma omp parallel num_threads(2)
	record_and_park(ompdx_task_implicit);
	return NULL;
}

/* Two threads of the program's, each with a pool of its own. */
static void test_roots(void **state)
{
	pthread_t other;

	(void)state;
	begin(4);
	assert_int_equal(pthread_create(&other, NULL, be_root, NULL), 0);
	be_root(NULL);
	assert_int_equal(pthread_join(other, NULL), 0);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested), cmocka_unit_test(test_inside_serialized),
		cmocka_unit_test(test_idle),   cmocka_unit_test(test_roots),
#ifndef WITHOUT_TEAMS
		cmocka_unit_test(test_teams),
#endif
	};
	int failed;

	/* Until GCC 10 levels are not enough. */
	omp_set_nested(1);
	omp_set_max_active_levels(3);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	print_message("%u facts compared\n", facts);
	return failed;
}
