/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library says of a libgomp whose memory is odd: of another release, of regions that are over, damaged.
 */
#include "api_test.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "fake_gomp.h"
#include "fake_gomp_aarch64.h"

static ompd_address_space_handle_t *opened(struct fake_gomp *gomp)
{
	ompd_address_space_handle_t *handle = NULL;

	assert_ok(ompd_process_initialize(fake_context(gomp->target), &handle));
	return handle;
}

struct look {
	ompd_address_space_handle_t *handle;
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;
};

static struct look look_at(struct fake_gomp *gomp)
{
	struct look look = {.handle = opened(gomp)};
	ompdx_native_thread_t *natives;
	size_t count;

	natives = check_natives(gomp->target, &count);
	assert_ok(check_snapshot(look.handle, natives, count, &look.snapshot, &look.view));
	free(natives);
	assert_null(check_shape(look.view));
	return look;
}

static void close_look(struct look *look, struct fake_gomp *gomp)
{
	assert_ok(ompdx_snapshot_destroy(look->snapshot));
	assert_ok(ompd_rel_address_space_handle(look->handle));
	fake_gomp_destroy(gomp);
}

static void test_region(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * FAKE_GOMP_LAYOUTS; i++) {
		const struct fake_gomp_layout *layout = &fake_gomp_layouts[i / 2];
		struct fake_gomp gomp = fake_gomp_create(layout, layout, i % 2 ? EM_AARCH64 : 0);
		struct look look;

		fake_gomp_parallel(&gomp);
		look = look_at(&gomp);
		assert_int_equal(look.view->region_count, 2);
		assert_int_equal(look.view->regions[1].team_size, 3);
		for (unsigned k = 0; k < 3; k++) {
			assert_int_equal(look.view->threads[k].problem, ompdx_problem_none);
			assert_int_equal(look.view->threads[k].level_count, 2);
			assert_int_equal(
				look.view->levels[look.view->threads[k].level_first].thread_num, k);
			assert_int_equal(look.view->threads[k].task,
					 fake_gomp_implicit_task(&gomp, k));
		}
		close_look(&look, &gomp);
	}
}

/* Of each release, laid out as each other. Of 4.8 and 4.9 thread-local data tells, whichever it is said to be. */
static void test_wrong_layout(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 2 * FAKE_GOMP_LAYOUTS * FAKE_GOMP_LAYOUTS; k++) {
		const unsigned i = k / 2, machine = k % 2 ? EM_AARCH64 : 0;
		const unsigned laid_out = i / FAKE_GOMP_LAYOUTS, said = i % FAKE_GOMP_LAYOUTS;
		const bool right = laid_out == said || (laid_out < FAKE_GCC_5 && said < FAKE_GCC_5);
		struct fake_gomp gomp = fake_gomp_create(&fake_gomp_layouts[laid_out],
							 &fake_gomp_layouts[said], machine);
		ompd_address_space_handle_t *handle = opened(&gomp);
		ompdx_snapshot_handle_t *snapshot;
		const ompdx_view_t *view;
		const ompd_rc_t rc = check_snapshot(handle, NULL, 0, &snapshot, &view);

		assert_rc(rc, right ? ompd_rc_ok : ompd_rc_unavailable);
		assert_int_equal(noted(handle, "layout_refuted"), !right);
		if (right)
			assert_ok(ompdx_snapshot_destroy(snapshot));
		assert_ok(ompd_rel_address_space_handle(handle));
		fake_gomp_destroy(&gomp);
	}
}

/* Linked into a program, each is told by its code from all others; but GCC 11's fits 12's layout as well. */
static void test_linked(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FAKE_GOMP_LAYOUTS; i++) {
		struct fake_gomp gomp = fake_gomp_create_linked(&fake_gomp_layouts[i]);
		ompd_address_space_handle_t *handle = opened(&gomp);
		ompdx_runtime_info_t info = {.size = sizeof(info)};

		assert_ok(ompdx_get_runtime_info(handle, &info));
		assert_string_equal(info.record, i == FAKE_GCC_11 ? "" : gomp.layout->name);
		assert_int_equal(noted(handle, "layout_untold"), i == FAKE_GCC_11);
		assert_ok(ompd_rel_address_space_handle(handle));
		fake_gomp_destroy(&gomp);
	}
}

static void test_other_machine(void **state)
{
	struct fake_gomp gomp = fake_gomp_create(&fake_gomp_layouts[FAKE_GCC_12],
						 &fake_gomp_layouts[FAKE_GCC_12], EM_RISCV);
	ompd_address_space_handle_t *handle = opened(&gomp);
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;

	(void)state;
	assert_rc(check_snapshot(handle, NULL, 0, &snapshot, &view), ompd_rc_unavailable);
	assert_true(noted(handle, "machine_unsupported"));
	assert_ok(ompd_rel_address_space_handle(handle));
	fake_gomp_destroy(&gomp);
}

/* On AArch64 a thread's structure does not begin with its own address: one that no list holds is none. A C library that
 * does not tell how large it is leaves everything unknown. */
static void test_structures_that_are_none(void **state)
{
	(void)state;
	for (unsigned how = 0; how < 3; how++) {
		struct fake_gomp gomp =
			fake_gomp_create(&fake_gomp_layouts[FAKE_GCC_13],
					 &fake_gomp_layouts[FAKE_GCC_13], EM_AARCH64);
		ompd_address_space_handle_t *handle;
		ompd_thread_handle_t *thread;
		ompd_rc_t rc;

		fake_gomp_parallel(&gomp);
		if (how == 0) /* its neighbour does not know it */
			fake_put(gomp.target, gomp.pthreads[1] + FAKE_PTHREAD_LIST + 8, 8,
				 gomp.pthreads[0]);
		else if (how == 1)
			fake_forget_symbol(gomp.target, "_thread_db_pthread_list");
		else
			fake_forget_symbol(gomp.target, "_thread_db_sizeof_pthread");
		handle = opened(&gomp);
		rc = check_thread_handle(handle, gomp.target, gomp.pthreads[1], &thread);
		assert_rc(rc, ompd_rc_unavailable);
		assert_int_equal(noted(handle, "libc_threads_unknown"), how == 2);
		assert_ok(ompd_rel_address_space_handle(handle));
		fake_gomp_destroy(&gomp);
	}
}

/* The team is kept, or its memory is used for anything, or is gone: the workers are idle all the same. */
static void test_stale_team(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3 * FAKE_GOMP_LAYOUTS; i++) {
		const struct fake_gomp_layout *layout = &fake_gomp_layouts[i / 3];
		struct fake_gomp gomp = fake_gomp_create(layout, layout, 0);
		const unsigned how = i % 3;
		struct look look;

		fake_gomp_parallel(&gomp);
		fake_gomp_end(&gomp);
		for (unsigned k = 0; how == 1 && k < 200; k++)
			fake_put(gomp.target, FAKE_GOMP_TEAM + 8 * k, 8, 0x4141414141414141);
		if (how == 2)
			fake_hide(gomp.target, FAKE_GOMP_TEAM, FAKE_GOMP_TEAM_BYTES);
		look = look_at(&gomp);
		assert_int_equal(look.view->region_count, 1);
		assert_int_equal(look.view->threads[0].level_count, 1);
		for (unsigned k = 1; k < 3; k++) {
			ompd_thread_handle_t *thread;
			ompd_parallel_handle_t *region;
			ompd_word_t doing;

			assert_int_equal(look.view->threads[k].kind, ompdx_thread_worker);
			assert_int_equal(look.view->threads[k].problem, ompdx_problem_none);
			assert_int_equal(look.view->threads[k].level_count, 0);
			assert_ok(check_thread_handle(look.handle, gomp.target, gomp.pthreads[k],
						      &thread));
			assert_rc(ompd_get_curr_parallel_handle(thread, &region),
				  ompd_rc_unavailable);
			assert_ok(ompd_get_state(thread, &doing, NULL));
			assert_int_equal(doing, OMPDX_STATE_IDLE);
			assert_ok(ompd_rel_thread_handle(thread));
		}
		close_look(&look, &gomp);
	}
}

/* The team of a thread that is in one for certain cannot be read, or is none: nobody is called idle. */
static void test_damaged_team(void **state)
{
	(void)state;
	for (unsigned how = 0; how < 4; how++) {
		struct fake_gomp gomp = fake_gomp_create(&fake_gomp_layouts[FAKE_GCC_13],
							 &fake_gomp_layouts[FAKE_GCC_13], 0);
		struct look look;

		fake_gomp_parallel(&gomp);
		if (how == 0)
			fake_hide(gomp.target, FAKE_GOMP_TEAM, FAKE_GOMP_TEAM_BYTES);
		else if (how == 1)
			fake_put(gomp.target, FAKE_GOMP_TEAM, 4, 1000000);
		else if (how == 2) /* it encloses itself */
			fake_put(gomp.target, FAKE_GOMP_TEAM + 8, 8, FAKE_GOMP_TEAM);
		else
			fake_put(gomp.target, gomp.threads[0] + 44, 4, 0x7fffffff);
		if (how == 2)
			fake_put(gomp.target, FAKE_GOMP_TEAM + 8 + 28, 4, 1);
		look = look_at(&gomp);
		for (unsigned k = 0; k < 3; k++) {
			assert_int_not_equal(look.view->threads[k].problem, ompdx_problem_none);
			assert_int_equal(look.view->threads[k].level_count, 0);
		}
		close_look(&look, &gomp);
	}
}

/* Where the pointers of the team's queue lead, from a task: until GCC 5 to the task itself, and next_queue has the next
 * one. */
static uint64_t node_of(const struct fake_gomp *gomp)
{
	return gomp->layout->pnode;
}

static uint64_t next_of(const struct fake_gomp *gomp)
{
	return gomp->layout->pnode ? gomp->layout->pnode : 32;
}

static void queue(struct fake_gomp *gomp, uint64_t first)
{
	fake_put(gomp->target, FAKE_GOMP_TASK_QUEUE + (gomp->layout->pnode ? 16 : 0), 8,
		 first + node_of(gomp));
}

#define TASKS UINT64_C(0x7f0070000000)
#define TASK(i) (TASKS + UINT64_C(0x100) * (i))

/* Three waiting tasks in the team's queue, each with the number of the next one. */
static struct fake_gomp three_tasks(const struct fake_gomp_layout *layout, const unsigned next[3])
{
	struct fake_gomp gomp = fake_gomp_create(layout, layout, 0);

	fake_gomp_parallel(&gomp);
	fake_map(gomp.target, TASKS, 0x1000);
	for (unsigned i = 0; i < 3; i++) {
		fake_put(gomp.target, TASK(i) + layout->kind, 4, 2);
		fake_put(gomp.target, TASK(i) + next_of(&gomp), 8, TASK(next[i]) + node_of(&gomp));
	}
	queue(&gomp, TASK(0));
	return gomp;
}

/* Three waiting tasks in a ring, one of them with predecessors that have ended. */
static void test_queue(void **state)
{
	(void)state;
	for (unsigned k = 0; k < FAKE_GOMP_LAYOUTS; k++) {
		const struct fake_gomp_layout *layout = &fake_gomp_layouts[k];
		struct fake_gomp gomp = three_tasks(layout, (const unsigned[]){1, 2, 0});
		const ompdx_tasks_t *answer;
		struct look look;

		for (unsigned i = 0; i < 3; i++) {
			fake_put(gomp.target, TASK(i), 8, fake_gomp_implicit_task(&gomp, 1));
			fake_put(gomp.target, TASK(i) + layout->fn, 8, 0x1000 + i);
		}
		look = look_at(&gomp);
		assert_ok(ompdx_snapshot_tasks(look.snapshot, &answer));
		assert_int_equal(answer->problem, ompdx_problem_none);
		assert_int_equal(answer->task_count, 6);
		for (unsigned i = 3; i < 6; i++) {
			const ompdx_task_t *task = &answer->tasks[i];

			assert_int_equal(task->state, ompdx_task_state_ready);
			assert_int_equal(task->function, 0x1000 + i - 3);
			assert_int_equal(answer->tasks[task->parent].address,
					 fake_gomp_implicit_task(&gomp, 1));
			assert_int_equal(answer->tasks[task->parent].children, 3);
		}
		close_look(&look, &gomp);
	}
}

/* Two tasks that a list leads to again and again, but never back to its first. */
static void test_queue_without_end(void **state)
{
	(void)state;
	for (unsigned k = 0; k < FAKE_GOMP_LAYOUTS; k++) {
		struct fake_gomp gomp =
			three_tasks(&fake_gomp_layouts[k], (const unsigned[]){1, 2, 1});
		const ompdx_tasks_t *answer;
		struct look look;

		look = look_at(&gomp);
		fake_counts_reset();
		assert_ok(ompdx_snapshot_tasks(look.snapshot, &answer));
		assert_int_equal(answer->task_count, 6);
		assert_int_not_equal(answer->problem, ompdx_problem_none);
		assert_true(fake_counts().calls[FAKE_READ] < 100);
		close_look(&look, &gomp);
	}
}

/* Until GCC 4.9 a task has what others keep in a gomp_taskwait: set while its thread sleeps. */
static void test_taskwait_in_task(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const unsigned asleep = i % 2, older = i / 2;
		const struct fake_gomp_layout *layout =
			&fake_gomp_layouts[older ? FAKE_GCC_4_8 : FAKE_GCC_4_9];
		struct fake_gomp gomp = fake_gomp_create(layout, layout, EM_AARCH64);
		ompd_thread_handle_t *thread;
		ompd_word_t doing;
		ompd_wait_id_t wait_id;
		const ompdx_tasks_t *answer;
		struct look look;
		uint64_t task;

		fake_gomp_parallel(&gomp);
		task = fake_gomp_implicit_task(&gomp, 1);
		fake_put(gomp.target, task + (older ? 92 : 164), 1, asleep);
		look = look_at(&gomp);
		assert_ok(ompdx_snapshot_tasks(look.snapshot, &answer));
		assert_int_equal(answer->tasks[1].address, task);
		assert_int_equal(answer->tasks[1].taskwait, asleep);
		assert_ok(check_thread_handle(look.handle, gomp.target, gomp.pthreads[1], &thread));
		assert_ok(ompd_get_state(thread, &doing, &wait_id));
		assert_int_equal(doing, asleep ? 0x020 : OMPDX_STATE_UNDEFINED);
		assert_true(wait_id == (asleep ? task + (older ? 96 : 168) : 0));
		assert_ok(ompd_rel_thread_handle(thread));
		close_look(&look, &gomp);
	}
}

/* Until GCC 4.8 a barrier adds 4 to its generation, above two flags, and one count serves the region's end, too. */
static void test_rounds(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FAKE_GOMP_LAYOUTS; i++) {
		const struct fake_gomp_layout *layout = &fake_gomp_layouts[i];
		const uint64_t step = i == FAKE_GCC_4_8 ? 4 : 8;
		struct fake_gomp gomp = fake_gomp_create(layout, layout, i % 2 ? EM_AARCH64 : 0);
		const ompdx_arrivals_t *answer;
		struct look look;

		fake_gomp_parallel(&gomp);
		fake_put(gomp.target, FAKE_GOMP_TEAM + 132, 4, 5 * step + 3);
		fake_put(gomp.target, FAKE_GOMP_TEAM + 192, 4, 1);
		look = look_at(&gomp);
		assert_int_equal(look.view->regions[1].barrier_round, step);
		assert_ok(ompdx_snapshot_arrivals(look.snapshot, &answer));
		assert_int_equal(answer->team_count, 1);
		assert_int_equal(answer->teams[0].steps, 5);
		assert_int_equal(answer->teams[0].waits_for_tasks, 1);
		assert_int_equal(answer->teams[0].arrived, i == FAKE_GCC_4_8 ? -1 : 2);
		assert_int_equal(answer->teams[0].arrived_at_end, i == FAKE_GCC_4_8 ? -1 : 0);
		close_look(&look, &gomp);
	}
}

/* ---- Loops ---- */

#define FIRST_SHARE (FAKE_GOMP_TEAM + 256)
#define NEXT_SHARE (FIRST_SHARE + 128)

struct fake_share {
	uint32_t sched;
	uint64_t chunk, end, incr, next;
};

static void put_share(struct fake_gomp *gomp, uint64_t at, struct fake_share share)
{
	fake_put(gomp->target, at, 4, share.sched);
	fake_put(gomp->target, at + 8, 8, share.chunk);
	fake_put(gomp->target, at + 16, 8, share.end);
	fake_put(gomp->target, at + 24, 8, share.incr);
	fake_put(gomp->target, at + 32, 8, at + 96);
	fake_put(gomp->target, at + 72, 8, share.next);
}

/* last: the share before; 0: the thread has left `share', or it is the first of its region. */
static void put_thread_at(struct fake_gomp *gomp, unsigned number, uint64_t share, uint64_t last,
			  uint64_t static_trip)
{
	const uint64_t ts = gomp->threads[number] + 16;

	fake_put(gomp->target, ts + 8, 8, share);
	fake_put(gomp->target, ts + 16, 8, last);
	fake_put(gomp->target,
		 ts + (gomp->layout->release < 4    ? 48
		       : gomp->layout->release < 11 ? 56
						    : 64),
		 8, static_trip);
}

static const ompdx_loops_t *loops_of(struct look *look)
{
	const ompdx_loops_t *loops;

	assert_ok(ompdx_snapshot_loops(look->snapshot, &loops));
	assert_int_equal(loops->problem, ompdx_problem_none);
	return loops;
}

/* Thread 0 is in the second loop of its region, thread 1 has left it, thread 2 has not come. */
static void test_loop(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FAKE_GOMP_LAYOUTS; i++) {
		struct fake_gomp gomp =
			fake_gomp_create(&fake_gomp_layouts[i], &fake_gomp_layouts[i], 0);
		const ompdx_loops_t *loops;
		struct look look;

		fake_gomp_parallel(&gomp);
		put_share(&gomp, NEXT_SHARE, (struct fake_share){0x80000002, 8, 100, 2, 50});
		fake_put(gomp.target, NEXT_SHARE + 68, 4, 1);
		fake_put(gomp.target, NEXT_SHARE + 40, 4, 2);
		fake_put(gomp.target, NEXT_SHARE + 48, 4, 1);
		fake_put(gomp.target, NEXT_SHARE + 96 + 4, 4, 2);
		put_thread_at(&gomp, 0, NEXT_SHARE, FIRST_SHARE, 0);
		put_thread_at(&gomp, 1, NEXT_SHARE, 0, 0);
		put_thread_at(&gomp, 2, 0, 0, 0);
		look = look_at(&gomp);
		loops = loops_of(&look);
		assert_int_equal(loops->count, 1);
		assert_int_equal(loops->loops[0].thread_num, 0);
		assert_int_equal(loops->loops[0].evidence, ompdx_loop_or_other);
		assert_int_equal(loops->loops[0].problem, ompdx_problem_none);
		assert_int_equal(loops->loops[0].schedule, ompdx_schedule_dynamic);
		assert_true(loops->loops[0].chunk == 4 && loops->loops[0].remaining == 25);
		assert_true(loops->loops[0].iterations == -1 && loops->loops[0].first == -1);
		assert_int_equal(loops->loops[0].completed, 1);
		assert_int_equal(loops->loops[0].ordered_holder, 2);
		close_look(&look, &gomp);
	}
}

static void test_chunks_of_a_static_loop(void **state)
{
	/* 10 iterations for three threads: trips, the size of chunks, and what thread 1 has. */
	static const struct {
		int64_t trip, chunk, first, last;
		ompdx_problem_t problem;
	} cases[] = {
		{0, 0, -1, -1, ompdx_problem_none},
		{1, 0, 4, 6, ompdx_problem_none},
		{-1, 2, 8, 9, ompdx_problem_none},
		{1, 2, 2, 3, ompdx_problem_none},
		{2, 2, 8, 9, ompdx_problem_none},
		{-1, 3, -1, -1, ompdx_problem_inconsistent}, /* the last chunk is another's */
		{-1, 9, 9, 9, ompdx_problem_none},
		{3, 2, -1, -1, ompdx_problem_inconsistent},
		{INT64_MAX, 2, -1, -1, ompdx_problem_inconsistent},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]) * 2; i++) {
		const unsigned layout = i % 2 ? FAKE_GCC_9 : FAKE_GCC_13, k = i / 2;
		struct fake_gomp gomp =
			fake_gomp_create(&fake_gomp_layouts[layout], &fake_gomp_layouts[layout], 0);
		const ompdx_loops_t *loops;
		struct look look;

		fake_gomp_parallel(&gomp);
		put_share(&gomp, FIRST_SHARE,
			  (struct fake_share){1, (uint64_t)cases[k].chunk, (uint64_t)-25,
					      (uint64_t)-3, 5});
		put_thread_at(&gomp, 1, FIRST_SHARE, 0, (uint64_t)cases[k].trip);
		look = look_at(&gomp);
		loops = loops_of(&look);
		assert_int_equal(loops->count, 1);
		assert_int_equal(loops->loops[0].evidence, ompdx_loop_or_none);
		assert_int_equal(loops->loops[0].problem, cases[k].problem);
		assert_true(loops->loops[0].iterations == 10);
		assert_true(loops->loops[0].first == cases[k].first);
		assert_true(loops->loops[0].last == cases[k].last);
		close_look(&look, &gomp);
	}
}

/* What is left of words that are no loop's, or at a loop's end. */
static void test_words_of_no_loop(void **state)
{
	static const struct {
		struct fake_share share;
		int64_t remaining; /* -1: no loop */
	} cases[] = {
		{{2, 4, 100, 1, 100}, 0},
		{{2, 4, 100, 1, 112}, 0}, /* three threads came too late */
		{{2, 4, 100, 1, 120}, -1},
		{{3, 4, 100, 1, 100}, 0},
		{{3, 4, 100, 1, 101}, -1},
		{{3, 4, (uint64_t)-1, (uint64_t)-1, 3}, 4},
		{{2, (uint64_t)-4, (uint64_t)-1, (uint64_t)-1, 3}, 4},
		{{2, 4, (uint64_t)-1, (uint64_t)-1, 3}, -1},
		{{2, 4, 100, 0, 0}, -1},
		{{2, 0, 100, 1, 0}, -1},
		{{2, 3, 100, 2, 0}, -1},
		{{2, UINT64_C(1) << 63, 100, (uint64_t)-1, 0}, -1},
		{{2, 4, UINT64_C(1) << 63, 1, 0}, -1},
		{{0, 4, 100, 1, 0}, -1},
		{{4, 4, 100, 1, 0}, -1},
		{{0x41414141, 4, 100, 1, 0}, -1},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_gomp gomp = fake_gomp_create(&fake_gomp_layouts[FAKE_GCC_12],
							 &fake_gomp_layouts[FAKE_GCC_12], 0);
		const ompdx_loops_t *loops;
		struct look look;

		fake_gomp_parallel(&gomp);
		put_share(&gomp, FIRST_SHARE, cases[i].share);
		put_thread_at(&gomp, 0, FIRST_SHARE, 0, 0);
		look = look_at(&gomp);
		loops = loops_of(&look);
		assert_int_equal(loops->count, 1);
		assert_true(loops->loops[0].remaining == cases[i].remaining);
		assert_int_equal(loops->loops[0].problem, cases[i].remaining < 0
								  ? ompdx_problem_inconsistent
								  : ompdx_problem_none);
		close_look(&look, &gomp);
	}
}

/* A structure that cannot be read, and one for all threads is read once. */
static void test_unreadable_share(void **state)
{
	(void)state;
	for (unsigned how = 0; how < 2; how++) {
		struct fake_gomp gomp = fake_gomp_create(&fake_gomp_layouts[FAKE_GCC_13],
							 &fake_gomp_layouts[FAKE_GCC_13], 0);
		const uint64_t at = how ? FIRST_SHARE : UINT64_C(0x4141414141414141);
		const ompdx_loops_t *loops;
		struct look look;

		fake_gomp_parallel(&gomp);
		for (unsigned k = 0; k < 3; k++)
			put_thread_at(&gomp, k, at, 1, 0);
		look = look_at(&gomp);
		fake_counts_reset();
		loops = loops_of(&look);
		assert_int_equal(loops->count, 3);
		assert_int_equal(loops->loops[2].problem,
				 how ? ompdx_problem_inconsistent : ompdx_problem_unreadable);
		assert_true(fake_counts().calls[FAKE_READ] < 3);
		close_look(&look, &gomp);
	}
}

/* Each word of what matters becomes each of these values: whatever is told has its shape. */
static void check_any_word(const struct fake_gomp_layout *layout)
{
	struct fake_gomp gomp = fake_gomp_create(layout, layout, 0);
	struct range {
		uint64_t start, size;
	} ranges[6];
	unsigned count = 0;

	fake_gomp_parallel(&gomp);
	put_share(&gomp, NEXT_SHARE, (struct fake_share){2, 4, 100, 1, 50});
	put_thread_at(&gomp, 0, NEXT_SHARE, FIRST_SHARE, 0);
	ranges[count++] = (struct range){NEXT_SHARE, 100};
	ranges[count++] = (struct range){FAKE_GOMP_TEAM, 256};
	ranges[count++] = (struct range){FAKE_GOMP_TEAM + 1280, 64 + 232};
	ranges[count++] = (struct range){fake_gomp_implicit_task(&gomp, 3), 24};
	ranges[count++] = (struct range){gomp.threads[0], 120};
	ranges[count++] = (struct range){gomp.pool, 32};
	for (unsigned i = 0; i < count; i++) {
		for (uint64_t at = ranges[i].start; at < ranges[i].start + ranges[i].size;
		     at += 4) {
			const uint64_t values[] = {0,
						   1,
						   UINT32_MAX,
						   0x7fffffff,
						   FAKE_GOMP_TEAM,
						   gomp.threads[1],
						   fake_gomp_implicit_task(&gomp, 1),
						   0x4141414141414141};
			const unsigned size = at % 8 ? 4 : 8;
			const uint64_t before = fake_get(gomp.target, at, size);

			for (unsigned k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
				struct look look;
				const ompdx_tasks_t *tasks;
				const ompdx_arrivals_t *arrivals;
				const ompdx_loops_t *loops;
				const ompdx_icvs_t *icvs;

				fake_put(gomp.target, at, size, values[k]);
				look = look_at(&gomp);
				assert_ok(ompdx_snapshot_tasks(look.snapshot, &tasks));
				assert_ok(ompdx_snapshot_arrivals(look.snapshot, &arrivals));
				assert_ok(ompdx_snapshot_loops(look.snapshot, &loops));
				assert_ok(ompdx_snapshot_icvs(look.snapshot, &icvs));
				assert_ok(ompdx_snapshot_destroy(look.snapshot));
				for (unsigned t = 0; t < FAKE_GOMP_THREADS; t++) {
					ompd_thread_handle_t *thread;
					ompd_parallel_handle_t *region, *outer;
					ompd_task_handle_t *task;

					if (check_thread_handle(look.handle, gomp.target,
								gomp.pthreads[t],
								&thread) != ompd_rc_ok)
						continue;
					if (ompd_get_curr_task_handle(thread, &task) == ompd_rc_ok)
						(void)ompd_rel_task_handle(task);
					if (ompd_get_curr_parallel_handle(thread, &region) ==
					    ompd_rc_ok) {
						if (ompd_get_enclosing_parallel_handle(
							    region, &outer) == ompd_rc_ok)
							(void)ompd_rel_parallel_handle(outer);
						(void)ompd_rel_parallel_handle(region);
					}
					(void)ompd_rel_thread_handle(thread);
				}
				assert_ok(ompd_rel_address_space_handle(look.handle));
			}
			fake_put(gomp.target, at, size, before);
		}
	}
	fake_gomp_destroy(&gomp);
}

static void test_any_word(void **state)
{
	(void)state;
	check_any_word(&fake_gomp_layouts[FAKE_GCC_4_8]);
	check_any_word(&fake_gomp_layouts[FAKE_GCC_4_9]);
	check_any_word(&fake_gomp_layouts[FAKE_GCC_13]);
}

/* ---- Doacross loops ---- */

#define DOACROSS (FAKE_GOMP_TEAM + 0x2000)
#define ENTRIES (DOACROSS + 128)

struct fake_doacross {
	uint64_t chunk_size, elt_sz;
	uint32_t ncounts;
	bool flattened;
	uint64_t t, boundary;
	uint32_t shifts[2];
};

/* All three threads are in it, but the last. */
static struct fake_gomp in_doacross(unsigned layout, struct fake_share share,
				    struct fake_doacross doacross)
{
	struct fake_gomp gomp =
		fake_gomp_create(&fake_gomp_layouts[layout], &fake_gomp_layouts[layout], 0);

	fake_gomp_parallel(&gomp);
	put_share(&gomp, NEXT_SHARE, share);
	fake_put(gomp.target, NEXT_SHARE + 32, 8, DOACROSS);
	put_thread_at(&gomp, 0, NEXT_SHARE, FIRST_SHARE, 0);
	put_thread_at(&gomp, 1, NEXT_SHARE, FIRST_SHARE, 0);
	put_thread_at(&gomp, 2, FIRST_SHARE, 0, 0);
	fake_map(gomp.target, DOACROSS, 0x1000);
	fake_put(gomp.target, DOACROSS, 8, doacross.chunk_size);
	fake_put(gomp.target, DOACROSS + 8, 8, doacross.elt_sz);
	fake_put(gomp.target, DOACROSS + 16, 4, doacross.ncounts);
	fake_put(gomp.target, DOACROSS + 20, 1, doacross.flattened);
	fake_put(gomp.target, DOACROSS + 24, 8, ENTRIES);
	fake_put(gomp.target, DOACROSS + 32, 8, doacross.t);
	fake_put(gomp.target, DOACROSS + 40, 8, doacross.boundary);
	fake_put(gomp.target, DOACROSS + 56, 4, doacross.shifts[0]);
	fake_put(gomp.target, DOACROSS + 60, 4, doacross.shifts[1]);
	return gomp;
}

static ompdx_doacross_t doacross_of(struct look *look, const int64_t *iteration,
				    ompd_size_t dimensions)
{
	const ompdx_doacross_t *loop;

	assert_ok(ompdx_snapshot_doacross(look->snapshot, FAKE_GOMP_TEAM, 0, iteration, dimensions,
					  &loop));
	return *loop;
}

/* 10 iterations of three threads: who has an iteration, and whose words tell that it was posted. */
static void test_doacross(void **state)
{
	static const struct {
		uint32_t sched;
		uint64_t chunk, q, t, boundary;
		int64_t iteration;
		uint64_t entry;
		int32_t owner;
	} cases[] = {
		{1, 0, 3, 1, 4, 3, 0, 0},           {1, 0, 3, 1, 4, 4, 1, 1},
		{1, 0, 3, 1, 4, 9, 2, 2},           {1, 2, 2, 0, 0, 5, 2, 2},
		{1, 2, 2, 0, 0, 6, 0, 0},           {2, 2, 2, 0, 0, 6, 3, -1},
		{0x80000002, 2, 2, 0, 0, 6, 3, -1}, {3, 2, 2, 0, 0, 6, 6, -1},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]) * 2; i++) {
		const unsigned k = i / 2;
		const struct fake_share share = {cases[k].sched, cases[k].chunk, 10, 1, 0};
		struct fake_gomp gomp = in_doacross(
			i % 2 ? FAKE_GCC_9 : FAKE_GCC_13, share,
			(struct fake_doacross){
				cases[k].q, 64, 1, true, cases[k].t, cases[k].boundary, {0, 0}});
		ompdx_doacross_t loop;
		struct look look;

		fake_put(gomp.target, ENTRIES + cases[k].entry * 64, 8,
			 (uint64_t)cases[k].iteration);
		look = look_at(&gomp);
		loop = doacross_of(&look, NULL, 0);
		assert_int_equal(loop.dimensions, 1);
		assert_int_equal(loop.posted, -1);
		loop = doacross_of(&look, &cases[k].iteration, 1);
		assert_int_equal(loop.posted, 0);
		assert_int_equal(loop.owner, cases[k].owner);
		assert_int_equal(loop.member_count, 3);
		close_look(&look, &gomp);
		gomp = in_doacross(
			i % 2 ? FAKE_GCC_9 : FAKE_GCC_13, share,
			(struct fake_doacross){
				cases[k].q, 64, 1, true, cases[k].t, cases[k].boundary, {0, 0}});
		fake_put(gomp.target, ENTRIES + cases[k].entry * 64, 8,
			 (uint64_t)cases[k].iteration + 1);
		look = look_at(&gomp);
		assert_int_equal(doacross_of(&look, &cases[k].iteration, 1).posted, 1);
		close_look(&look, &gomp);
	}
}

/* In one number, or in one for each loop. */
static void test_doacross_in_nest(void **state)
{
	static const int64_t asked[][2] = {{4, 2}, {4, 3}, {4, 4}, {3, 9}, {5, 0}};
	static const int32_t posted[] = {1, 1, 0, 1, 0};
	const ompdx_doacross_t *loop;

	(void)state;
	for (unsigned flattened = 0; flattened < 2; flattened++) {
		struct fake_gomp gomp =
			in_doacross(FAKE_GCC_13, (struct fake_share){2, 100, 100, 1, 0},
				    (struct fake_doacross){100, 64, 2, flattened, 0, 0, {4, 0}});
		struct look look;

		/* (4, 3) was the last. */
		fake_put(gomp.target, ENTRIES, 8, flattened ? (4 << 4) + 4 : 5);
		fake_put(gomp.target, ENTRIES + 8, 8, 4);
		look = look_at(&gomp);
		for (unsigned i = 0; i < 5; i++)
			assert_int_equal(doacross_of(&look, asked[i], 2).posted, posted[i]);
		assert_ok(ompdx_snapshot_doacross(look.snapshot, FAKE_GOMP_TEAM, 0, asked[0], 2,
						  &loop));
		assert_int_equal(loop->members[1], ompdx_doacross_inside);
		assert_int_equal(loop->members[2], ompdx_doacross_elsewhere);
		assert_rc(ompdx_snapshot_doacross(look.snapshot, FAKE_GOMP_TEAM, 0, asked[0], 1,
						  &loop),
			  ompd_rc_bad_input);
		assert_rc(ompdx_snapshot_doacross(look.snapshot, FAKE_GOMP_TEAM, 3, NULL, 0, &loop),
			  ompd_rc_bad_input);
		close_look(&look, &gomp);
	}
}

/* The words of another loop, and of none. */
static void test_words_of_no_doacross(void **state)
{
	static const int64_t iteration = 6, beyond = 10;
	const struct fake_share share = {1, 2, 10, 1, 0};
	const struct fake_doacross sound = {2, 64, 1, true, 0, 0, {0, 0}};
	static const uint64_t places[] = {8, 16, 24}, values[] = {7, 0x41414141, 0x1001};
	const ompdx_doacross_t *loop = NULL;
	struct fake_gomp gomp;
	struct look look;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		gomp = in_doacross(FAKE_GCC_13, share, sound);
		fake_put(gomp.target, DOACROSS + places[i], i == 1 ? 4 : 8, values[i]);
		look = look_at(&gomp);
		assert_rc(ompdx_snapshot_doacross(look.snapshot, FAKE_GOMP_TEAM, 0, &iteration, 1,
						  &loop),
			  ompd_rc_unavailable);
		close_look(&look, &gomp);
	}
	gomp = in_doacross(FAKE_GCC_13, share, sound);
	look = look_at(&gomp);
	assert_rc(ompdx_snapshot_doacross(look.snapshot, FAKE_GOMP_TEAM, 0, &beyond, 1, &loop),
		  ompd_rc_error);
	close_look(&look, &gomp);
	gomp = in_doacross(FAKE_GCC_13, share, sound);
	fake_put(gomp.target, DOACROSS + 24, 8, 0);
	look = look_at(&gomp);
	assert_int_equal(doacross_of(&look, NULL, 0).dimensions, 0);
	close_look(&look, &gomp);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_region),
		OPENED(test_wrong_layout),
		OPENED(test_linked),
		OPENED(test_other_machine),
		OPENED(test_structures_that_are_none),
		OPENED(test_stale_team),
		OPENED(test_damaged_team),
		OPENED(test_queue),
		OPENED(test_queue_without_end),
		OPENED(test_taskwait_in_task),
		OPENED(test_rounds),
		OPENED(test_any_word),
		OPENED(test_loop),
		OPENED(test_words_of_no_loop),
		OPENED(test_chunks_of_a_static_loop),
		OPENED(test_unreadable_share),
		OPENED(test_doacross),
		OPENED(test_doacross_in_nest),
		OPENED(test_words_of_no_doacross),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
