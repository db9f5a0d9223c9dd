/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops: what the runtime's words mean under each schedule, and what is not believed. On a real runtime
 * they are compared with the truth in tests/gdb.
 */
#include <string.h>

#include "api_test.h"
#include "fake_loops.h"

enum { TEAM_SIZE = 4 };

static struct session session;
static ompdx_snapshot_handle_t *snapshot;
static uint64_t dispatches;
static struct fake_region *region;

static void begin(void)
{
	session = session_open("parallel");
	region = fake_omp_thread(session.omp, 0)->region;
	assert_int_equal(region->team_size, TEAM_SIZE);
	dispatches = fake_add_dispatch(region, session.omp);
}

static const ompdx_loops_t *loops_now(void)
{
	const ompdx_loops_t *loops = UNTOUCHED;

	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot));
	assert_ok(ompdx_snapshot_loops(snapshot, &loops));
	assert_int_equal(loops->size, sizeof(*loops));
	return loops;
}

/* Of one thread in one loop. */
static ompdx_loop_t only(void)
{
	const ompdx_loops_t *loops = loops_now();
	ompdx_loop_t one;

	assert_int_equal(loops->count, 1);
	one = loops->loops[0];
	assert_int_equal(one.size, sizeof(one));
	assert_true(one.team == region->team);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	return one;
}

static void assert_chunk(const ompdx_loop_t *loop, int64_t first, int64_t last)
{
	assert_int_equal(loop->problem, ompdx_problem_none);
	assert_int_equal(loop->first, first);
	assert_int_equal(loop->last, last);
}

static void test_no_loop(void **state)
{
	const ompdx_loops_t *loops;

	(void)state;
	begin();
	loops = loops_now();
	assert_int_equal(loops->count, 0);
	assert_int_equal(loops->problem, ompdx_problem_none);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	session_close(&session);
}

/* Where a build keeps them nobody knows. */
static void test_no_record(void **state)
{
	static const struct fake_world unknown = {
		"unknown", {8, false}, {.layout = FAKE_LLVM_UNKNOWN}};
	struct session other = session_open_in(&unknown, fake_scenario("parallel"));
	const ompdx_loops_t *loops = UNTOUCHED;

	(void)state;
	assert_ok(ompdx_snapshot_create(other.handle, NULL, 0, &snapshot));
	assert_rc(ompdx_snapshot_loops(snapshot, &loops), ompd_rc_unavailable);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	assert_ptr_equal(loops, UNTOUCHED);
	session_close(&other);
}

static void test_dynamic(void **state)
{
	const unsigned widths[] = {4, 8};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fake_loop loop = {.width = widths[i],
					 .schedule = FAKE_DYNAMIC,
					 .lb = 10,
					 .ub = 99,
					 .st = 2,
					 .tc = 45,
					 .chunk = 4,
					 .iteration = 5,
					 .index = 9};
		ompdx_loop_t one;

		begin();
		fake_begin_loop(session.omp, dispatches, 2, &loop);
		one = only();
		assert_int_equal(one.thread_num, 2);
		assert_int_equal(one.thread, fake_member(region, 2)->gtid);
		assert_int_equal(one.loop, 9);
		assert_int_equal(one.schedule, ompdx_schedule_dynamic);
		assert_int_equal(one.iterations, 45);
		assert_int_equal(one.chunk, 4);
		assert_int_equal(one.handed_out, 20);
		assert_int_equal(one.ordered, 0);
		assert_int_equal(one.ordered_turn, -1);
		assert_int_equal(one.left, -1);
		assert_chunk(&one, -1, -1);
		session_close(&session);
	}
}

/* Threads go on asking when all is handed out. */
static void test_handed_out(void **state)
{
	static const struct {
		uint32_t schedule;
		uint64_t iteration;
		int64_t handed_out;
	} cases[] = {
		{FAKE_DYNAMIC, 0, 0},           {FAKE_DYNAMIC, 11, 44}, {FAKE_DYNAMIC, 12, 45},
		{FAKE_DYNAMIC, UINT32_MAX, 45}, {FAKE_GUIDED, 30, 30},  {FAKE_GUIDED, 49, 45},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_loop loop = {.width = 4,
					 .schedule = cases[i].schedule,
					 .ub = 44,
					 .st = 1,
					 .tc = 45,
					 .chunk = 4,
					 .iteration = cases[i].iteration};
		ompdx_loop_t one;

		begin();
		fake_begin_loop(session.omp, dispatches, 0, &loop);
		one = only();
		assert_int_equal(one.handed_out, cases[i].handed_out);
		session_close(&session);
	}
}

/* 12 chunks of 4 iterations, 3 for each thread. */
static void test_own_part(void **state)
{
	static const struct {
		int thread_num;
		uint64_t count, ub;
		int64_t first, last, left;
	} cases[] = {
		{0, 0, 3, -1, -1, 12}, /* has got nothing yet */
		{0, 1, 3, 0, 3, 8},     {0, 3, 3, 8, 11, 0},    {1, 3, 6, -1, -1, 12},
		{1, 5, 6, 16, 19, 4},   {3, 12, 12, 44, 44, 0}, /* the last chunk is shorter */
		{3, 10, 12, 36, 39, 5}, {2, 1, 1, 0, 3, 0},     /* stolen from thread 0 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct fake_loop loop = {.width = 8,
					       .schedule = FAKE_STATIC_STEAL,
					       .ub = 44,
					       .st = 1,
					       .tc = 45,
					       .chunk = 4};
		struct fake_thread_loop at;
		ompdx_loop_t one;

		begin();
		at = fake_begin_loop(session.omp, dispatches, cases[i].thread_num, &loop);
		fake_set_count(session.omp, at, &loop, cases[i].count);
		fake_set_ub(session.omp, at, &loop, cases[i].ub);
		one = only();
		assert_int_equal(one.schedule, ompdx_schedule_static_steal);
		assert_chunk(&one, cases[i].first, cases[i].last);
		assert_int_equal(one.left, cases[i].left);
		session_close(&session);
	}
}

static void test_static(void **state)
{
	static const struct {
		uint32_t schedule;
		int thread_num;
		uint64_t count;
		int64_t first, last;
	} cases[] = {
		{FAKE_STATIC_CHUNKED, 1, 0, -1, -1},  {FAKE_STATIC_CHUNKED, 1, 4, 4, 7},
		{FAKE_STATIC_CHUNKED, 3, 8, 28, 31},  {FAKE_STATIC_CHUNKED, 3, 12, 44, 44},
		{FAKE_STATIC_BALANCED, 0, 0, -1, -1}, {FAKE_STATIC_BALANCED, 0, 1, 0, 11},
		{FAKE_STATIC_BALANCED, 3, 1, 34, 44},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct fake_loop loop = {.width = 4,
					       .schedule = cases[i].schedule,
					       .ub = 44,
					       .st = 1,
					       .tc = 45,
					       .chunk = 4};
		struct fake_thread_loop at;
		ompdx_loop_t one;

		begin();
		at = fake_begin_loop(session.omp, dispatches, cases[i].thread_num, &loop);
		fake_set_count(session.omp, at, &loop, cases[i].count);
		one = only();
		assert_int_equal(one.schedule, ompdx_schedule_static);
		assert_chunk(&one, cases[i].first, cases[i].last);
		session_close(&session);
	}
}

static void test_ordered(void **state)
{
	const struct fake_loop loop = {.width = 4,
				       .schedule = FAKE_DYNAMIC,
				       .flags = FAKE_ORDERED,
				       .lb = 50,
				       .ub = 6,
				       .st = -1,
				       .tc = 45,
				       .chunk = 4,
				       .iteration = 2,
				       .ordered_iteration = 5};
	struct fake_thread_loop at;
	const ompdx_loops_t *loops;

	(void)state;
	begin();
	at = fake_begin_loop(session.omp, dispatches, 0, &loop);
	fake_set_ordered(session.omp, at, &loop, 4, 7);
	fake_begin_loop(session.omp, dispatches, 1, &loop);
	loops = loops_now();
	assert_int_equal(loops->count, 2);
	assert_int_equal(loops->loops[0].loop, loops->loops[1].loop);
	assert_int_equal(loops->loops[0].ordered, 1);
	assert_int_equal(loops->loops[0].ordered_turn, 5);
	assert_chunk(&loops->loops[0], 4, 7);
	assert_chunk(&loops->loops[1], -1, -1);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	session_close(&session);
}

/* Bounds overflow as the program's type does. */
static void test_widest_bounds(void **state)
{
	const struct fake_loop loops[] = {
		{.width = 4, .lb = INT32_MIN, .ub = INT32_MAX, .st = 3, .tc = 1431655766},
		{.width = 4, .lb = INT32_MAX, .ub = INT32_MIN, .st = -1000, .tc = 4294968},
		{.width = 8, .lb = INT64_MIN, .ub = INT64_MAX, .st = 4, .tc = INT64_C(1) << 62},
		{.width = 4, .lb = 0, .ub = -1, .st = 1, .tc = 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		struct fake_loop loop = loops[i];
		ompdx_loop_t one;

		begin();
		loop.schedule = FAKE_DYNAMIC;
		loop.chunk = 1;
		loop.iteration = 3;
		fake_begin_loop(session.omp, dispatches, 0, &loop);
		one = only();
		assert_int_equal(one.problem, ompdx_problem_none);
		assert_int_equal(one.iterations, loop.tc);
		session_close(&session);
	}
}

/* The buffer is of another loop by now: who cancelled this one has left its notes behind. */
static void test_left_behind(void **state)
{
	const struct fake_loop loop = {
		.width = 4, .schedule = FAKE_DYNAMIC, .ub = 44, .st = 1, .tc = 45, .chunk = 4};
	struct fake_thread_loop at;
	const ompdx_loops_t *loops;

	(void)state;
	begin();
	at = fake_begin_loop(session.omp, dispatches, 0, &loop);
	fake_put(session.target, at.shared_info + FAKE_SH_BUFFER_INDEX, 4, 7);
	loops = loops_now();
	assert_int_equal(loops->count, 0);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	/* The next region begins to count anew. */
	fake_put(session.target, at.shared_info + FAKE_SH_BUFFER_INDEX, 4, 0);
	fake_put(session.target, at.dispatch + FAKE_DISP_INDEX, 4, 0);
	loops = loops_now();
	assert_int_equal(loops->count, 0);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	session_close(&session);
}

/* No loop has such words: nothing of it is told but that something is there. */
static void test_nonsense(void **state)
{
	const struct fake_loop sound = {
		.width = 4, .schedule = FAKE_DYNAMIC, .ub = 44, .st = 1, .tc = 45, .chunk = 4};
	struct fake_loop loops[12];
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < 12; i++)
		loops[i] = sound;
	loops[count++].schedule = 0;
	loops[count++].schedule = 37;
	loops[count++].schedule = UINT32_MAX;
	loops[count++].width = 0;
	loops[count++].width = 5;
	loops[count++].tc = 46;
	loops[count++].st = 0;
	loops[count++].st = -1;
	loops[count++].chunk = 0;
	loops[count++].flags = FAKE_USE_HIER;
	loops[count].schedule = FAKE_STATIC_STEAL;
	loops[count++].ub = 13; /* more chunks than there are */
	loops[count].width = 8;
	loops[count++].ub = -1;
	for (size_t i = 0; i < count; i++) {
		ompdx_loop_t one;

		begin();
		fake_begin_loop(session.omp, dispatches, 1, &loops[i]);
		one = only();
		assert_int_equal(one.problem, ompdx_problem_inconsistent);
		assert_int_equal(one.first, -1);
		assert_int_equal(one.handed_out, -1);
		session_close(&session);
	}
}

static void test_unreadable(void **state)
{
	const struct fake_loop loop = {
		.width = 4, .schedule = FAKE_DYNAMIC, .ub = 44, .st = 1, .tc = 45, .chunk = 4};
	static const unsigned pointers[] = {FAKE_DISP_SH_CURRENT, FAKE_DISP_PR_CURRENT};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fake_thread_loop at;
		const ompdx_loops_t *loops;

		begin();
		fake_begin_loop(session.omp, dispatches, 1, &loop);
		at = fake_begin_loop(session.omp, dispatches, 0, &loop);
		fake_put_pointer(session.target, at.dispatch + pointers[i],
				 UINT64_C(0x7ffffffff000));
		loops = loops_now();
		assert_int_equal(loops->count, 1);
		assert_int_equal(loops->loops[0].thread_num, 1);
		assert_int_equal(loops->problem, ompdx_problem_unreadable);
		assert_ok(ompdx_snapshot_destroy(snapshot));
		session_close(&session);
	}
	begin();
	fake_put_pointer(session.target, region->team + FAKE_T_DISPATCH, 0);
	const ompdx_loops_t *loops = loops_now();
	assert_int_equal(loops->count, 0);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	session_close(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_no_loop, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_no_record, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_dynamic, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_handed_out, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_own_part, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_static, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_ordered, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_widest_bounds, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_left_behind, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_nonsense, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_unreadable, library_open, library_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
