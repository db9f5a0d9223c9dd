/* SPDX-License-Identifier: Apache-2.0
 *
 * A program on libgomp looks at its own tasks, locks and barriers: one of its tasks does, while the others stand still.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "ompd-ext.h"
#include "own_process.h"
#include "settle.h"

static volatile int go_on, arrived;
static volatile int done; /* compilers leave out tasks that do nothing */

static void arrive(void)
{
	__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL);
}

static void park(void)
{
	arrive();
	while (!go_on)
		usleep(500);
}

static void until(int count)
{
	while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < count)
		usleep(500);
}

static void wait_for(int count)
{
	until(count);
	/* Those who wait for tasks do so a moment later. */
	settle();
}

struct look {
	ompd_address_space_handle_t *handle;
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;
	const ompdx_tasks_t *tasks;
};

/* Nothing is asserted inside of a region: no thread may leave it. */
static struct look look(void)
{
	struct look look;

	memset(&look, 0, sizeof(look));
	(void)ompd_initialize(202411, own_callbacks());
	(void)ompd_process_initialize(own_context(), &look.handle);
	if (ompdx_snapshot_create(look.handle, NULL, 0, &look.snapshot) != ompd_rc_ok)
		return look;
	(void)ompdx_snapshot_view(look.snapshot, &look.view);
	(void)ompdx_snapshot_tasks(look.snapshot, &look.tasks);
	return look;
}

static void look_no_more(const struct look *look)
{
	assert_int_equal(ompdx_snapshot_destroy(look->snapshot), ompd_rc_ok);
	assert_int_equal(ompd_rel_address_space_handle(look->handle), ompd_rc_ok);
	assert_int_equal(ompd_finalize(), ompd_rc_ok);
	assert_int_equal(own_live_blocks(), 0);
}

static unsigned count_of(const ompdx_tasks_t *tasks, ompdx_task_kind_t kind,
			 ompdx_task_state_t state)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < tasks->task_count; i++)
		count += tasks->tasks[i].kind == kind && tasks->tasks[i].state == state;
	return count;
}

static const ompdx_task_t *first_of(const ompdx_tasks_t *tasks, ompdx_task_kind_t kind,
				    ompdx_task_state_t state)
{
	for (uint32_t i = 0; i < tasks->task_count; i++) {
		if (tasks->tasks[i].kind == kind && tasks->tasks[i].state == state)
			return &tasks->tasks[i];
	}
	return NULL;
}

static const ompdx_task_t *current_of(const struct look *look, uint64_t pthread)
{
	for (uint32_t i = 0; i < look->tasks->task_count; i++) {
		const ompdx_task_t *task = &look->tasks->tasks[i];

		if (task->thread != UINT32_MAX &&
		    look->view->threads[task->thread].pthread_id == pthread)
			return task;
	}
	return NULL;
}

/* A function that GCC 6 brought. */
static int max_task_priority(void)
{
	int (*get)(void) = NULL;

	*(void **)&get = dlsym(RTLD_DEFAULT, "omp_get_max_task_priority");
	return get ? get() : 0;
}

static void test_queues(void **state)
{
	const ompdx_task_t *undeferred, *taken, *maker, *blocked;
	uint64_t other = 0, mine = 0;
	unsigned priorities = 0;
	struct look seen;
	int x = 0;

	(void)state;
	go_on = arrived = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task
		{
			other = (uint64_t)pthread_self();
#pragma omp task
			done = 1;
			park();
		}
		wait_for(1);
		for (int i = 0; i < 6; i++) {
#pragma omp task priority(i % 3) firstprivate(i)
			done = i;
		}
#pragma omp task depend(out : x)
		x = 1;
#pragma omp task depend(in : x)
		done = x;
#pragma omp task if (0)
		{
			mine = (uint64_t)pthread_self();
			seen = look();
		}
		go_on = 1;
	}
	assert_non_null(seen.tasks);
	assert_int_equal(seen.tasks->problem, ompdx_problem_none);
	assert_int_equal(count_of(seen.tasks, ompdx_task_explicit, ompdx_task_state_executing), 2);
	assert_int_equal(count_of(seen.tasks, ompdx_task_implicit, ompdx_task_state_suspended), 2);
	assert_int_equal(count_of(seen.tasks, ompdx_task_explicit, ompdx_task_state_ready), 8);
	assert_int_equal(count_of(seen.tasks, ompdx_task_explicit, ompdx_task_state_blocked), 1);
	assert_int_equal(seen.tasks->task_count, 13);
	undeferred = current_of(&seen, mine);
	taken = current_of(&seen, other);
	assert_non_null(taken);
	assert_non_null(undeferred);
	assert_true(undeferred->undeferred);
	assert_false(taken->undeferred);
	assert_int_not_equal(taken->function, 0);
	assert_int_equal(taken->children, 1);
	assert_int_not_equal(undeferred->parent, UINT32_MAX);
	maker = &seen.tasks->tasks[undeferred->parent];
	assert_int_equal(maker->kind, ompdx_task_implicit);
	assert_int_equal(maker->children, 10);
	blocked = first_of(seen.tasks, ompdx_task_explicit, ompdx_task_state_blocked);
	assert_int_equal(blocked->predecessors, 1);
	assert_int_equal(seen.tasks->dependence_count, 1);
	assert_ptr_equal(&seen.tasks->tasks[seen.tasks->dependences[0].task], blocked);
	for (uint32_t i = 0; i < seen.tasks->task_count; i++) {
		assert_true(seen.tasks->tasks[i].tied == 1);
		priorities += seen.tasks->tasks[i].priority > 0;
	}
	assert_int_equal(priorities, max_task_priority() >= 2 ? 4 : 0);
	look_no_more(&seen);
}

/* What a thread waits for, as the standard routines tell it. */
static ompd_word_t state_of(ompd_address_space_handle_t *handle, uint64_t pthread)
{
	ompd_thread_handle_t *thread;
	ompd_wait_id_t wait;
	ompd_word_t answer = -1;

	if (ompd_get_thread_handle(handle, OMPD_THREAD_ID_PTHREAD, 8, &pthread, &thread) !=
	    ompd_rc_ok)
		return -1;
	(void)ompd_get_state(thread, &answer, &wait);
	(void)ompd_rel_thread_handle(thread);
	return answer;
}

enum { TASKWAIT = 0x020, TASKGROUP = 0x021, UNDEFINED = 0x102 };

static void test_waits(void **state)
{
	uint64_t pthreads[4];
	ompd_word_t states[4];
	unsigned waiting = 0;
	struct look seen;

	(void)state;
	go_on = arrived = 0;
#pragma omp parallel num_threads(4)
	{
		const int number = omp_get_thread_num();

		pthreads[number] = (uint64_t)pthread_self();
		if (number == 0) {
#pragma omp task
			park();
			/* Both tasks are taken by those who are at the region's end. */
			until(2);
			arrive();
#pragma omp taskwait
		} else if (number == 1) {
#pragma omp taskgroup
			{
#pragma omp task
				{
					arrive();
					/* The two others that go from there to wait. */
					wait_for(4);
					seen = look();
					for (int i = 0; i < 4; i++)
						states[i] = state_of(seen.handle, pthreads[i]);
					go_on = 1;
				}
				until(2);
				arrive();
			}
		}
	}
	assert_non_null(seen.tasks);
	assert_int_equal(seen.tasks->problem, ompdx_problem_none);
	assert_int_equal(states[0], TASKWAIT);
	assert_int_equal(states[1], TASKGROUP);
	assert_int_equal(states[2], UNDEFINED);
	assert_int_equal(states[3], UNDEFINED);
	assert_int_equal(count_of(seen.tasks, ompdx_task_explicit, ompdx_task_state_executing), 2);
	assert_int_equal(count_of(seen.tasks, ompdx_task_implicit, ompdx_task_state_suspended), 2);
	assert_int_equal(count_of(seen.tasks, ompdx_task_implicit, ompdx_task_state_executing), 2);
	for (uint32_t i = 0; i < seen.tasks->task_count; i++)
		waiting += seen.tasks->tasks[i].taskwait == 1;
	assert_int_equal(waiting, 1);
	look_no_more(&seen);
}

static const ompdx_view_thread_t *owner_of(const struct look *look, const ompdx_lock_t *lock)
{
	return lock->owner == UINT32_MAX ? NULL : &look->view->threads[lock->owner];
}

static void test_locks_and_barriers(void **state)
{
	ompdx_lock_variable_t variables[5];
	const ompdx_locks_t *locks = NULL;
	const ompdx_arrivals_t *arrivals = NULL;
	omp_nest_lock_t nested, initials, free_nested;
	uint64_t holder = 0, initial = (uint64_t)pthread_self();
	const ompdx_lock_t *one;
	omp_lock_t plain;
	struct look seen;

	(void)state;
	omp_init_nest_lock(&nested);
	omp_init_nest_lock(&initials);
	omp_init_nest_lock(&free_nested);
	omp_init_lock(&plain);
	/* The thread's initial task holds it while it is in the region. */
	omp_set_nest_lock(&initials);
	go_on = arrived = 0;
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 0) {
			const volatile void *const asked[] = {&nested, &initials, &free_nested,
							      &plain, &arrived};

			wait_for(1);
			seen = look();
			memset(variables, 0, sizeof(variables));
			for (int i = 0; i < 5; i++) {
				variables[i].size = sizeof(variables[i]);
				variables[i].address = (ompd_addr_t)(uintptr_t)asked[i];
			}
			arrived = 5;
			(void)ompdx_snapshot_locks(seen.snapshot, variables, 5, &locks);
			(void)ompdx_snapshot_arrivals(seen.snapshot, &arrivals);
			go_on = 1;
		} else if (omp_get_thread_num() == 1) {
			holder = (uint64_t)pthread_self();
			omp_set_nest_lock(&nested);
			omp_set_nest_lock(&nested);
			omp_set_lock(&plain);
			park();
			omp_unset_lock(&plain);
			omp_unset_nest_lock(&nested);
			omp_unset_nest_lock(&nested);
		}
#pragma omp barrier
	}
	omp_unset_nest_lock(&initials);
	assert_non_null(locks);
	assert_int_equal(locks->lock_count, 4);
	one = &locks->locks[locks->variables[0]];
	assert_int_equal(one->nested, 1);
	assert_int_equal(one->depth, 2);
	assert_non_null(owner_of(&seen, one));
	assert_int_equal(owner_of(&seen, one)->pthread_id, holder);
	one = &locks->locks[locks->variables[1]];
	assert_int_equal(one->nested, 1);
	assert_non_null(owner_of(&seen, one));
	assert_int_equal(owner_of(&seen, one)->pthread_id, initial);
	one = &locks->locks[locks->variables[2]];
	assert_int_equal(one->held, 0);
	one = &locks->locks[locks->variables[3]];
	assert_int_equal(one->held, 1);
	assert_int_equal(one->nested, 0);
	assert_null(owner_of(&seen, one));
	assert_int_equal(locks->variables[4], UINT32_MAX);
	assert_non_null(arrivals);
	assert_int_equal(arrivals->count, 0);
	assert_int_equal(arrivals->team_count, 1);
	assert_int_equal(arrivals->teams[0].awaits, 4);
	assert_int_equal(arrivals->teams[0].arrived, 2);
	assert_int_equal(arrivals->teams[0].arrived_at_end, 0);
	assert_int_equal(arrivals->teams[0].waits_for_tasks, 0);
	look_no_more(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queues),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_locks_and_barriers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
