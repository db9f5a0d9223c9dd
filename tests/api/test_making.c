/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that the runtime is making, or giving to a team: at every step it is what it is, and what no step
 * leaves is damage. The steps were looked up in libomp: picture_making.c has them.
 */
#include <stdlib.h>

#include "api_test.h"

/* Each includes those before it. */
enum step { LISTED, TEAM, NUMBER, TASK, GTID, CREATED, PTHREAD, MEMBER, STEPS };

/* Does the new team count the thread already, or does a team that has ended grow by it? */
enum growth { OF_NEW_TEAM, OF_GROWING_TEAM };

#define SET(made, structure, type, member, value)                                                  \
	fake_set_member((made)->session.omp, structure, FAKE_OFFSET_##type##__##member, value)
#define GET(made, structure, type, member)                                                         \
	fake_get_member((made)->session.omp, structure, FAKE_OFFSET_##type##__##member)

struct making {
	struct session session;
	enum growth growth;
	uint64_t team;
	int tid;
	int gtid;
	uint64_t info;
	uint64_t bystander; /* a thread that has nothing to do with OpenMP */
	uint64_t pthread;   /* 0: not created yet */
};

static unsigned width(const struct making *made)
{
	return fake_machine_of(made->session.target).pointer_size;
}

static uint64_t slot(const struct making *made, int tid)
{
	return GET(made, made->team, kmp_base_team_t, t_threads) + (uint64_t)tid * width(made);
}

static struct making begin(const struct fake_world *world, enum growth growth)
{
	struct making made = {.session = session_open_in(world, fake_scenario("parallel")),
			      .growth = growth};
	const struct fake_thread *root = fake_omp_thread(made.session.omp, 0);

	made.team = root->region->team;
	made.tid = root->region->team_size;
	made.gtid = (int)fake_omp_thread_count(made.session.omp);
	made.bystander = fake_native_thread(made.session.target);
	fake_put_pointer(made.session.target, slot(&made, made.tid), 0);
	if (growth == OF_NEW_TEAM)
		SET(&made, made.team, kmp_base_team_t, t_nproc, (uint64_t)made.tid + 1);
	else
		fake_end(root->region);
	return made;
}

/* What glibc keeps of a thread that was created to execute a function of libomp's. */
static void create(struct making *made)
{
	const uint64_t words = 50 * width(made);

	made->pthread = fake_native_thread(made->session.target);
	fake_put_pointer(made->session.target, made->pthread + words,
			 fake_libomp_image(made->session.omp)->base + 0x4000);
	fake_put_pointer(made->session.target, made->pthread + words + width(made), made->info);
}

static void list(struct making *made)
{
	made->info = fake_allocate_block(
		made->session.omp, fake_table_value(made->session.omp, FAKE_SIZEOF_kmp_info_t));
	fake_put_pointer(made->session.target,
			 fake_threads_array(made->session.omp) + (uint64_t)made->gtid * width(made),
			 made->info);
}

static uint64_t own_task(const struct making *made)
{
	return GET(made, made->team, kmp_base_team_t, t_implicit_task_taskdata) +
	       (uint64_t)made->tid *
		       fake_table_value(made->session.omp, FAKE_SIZEOF_kmp_taskdata_t);
}

static void number(const struct making *made)
{
	const struct fake_libomp *omp = made->session.omp;

	fake_put(made->session.target,
		 made->info + fake_table_value(omp, FAKE_OFFSET_kmp_base_info_t__th_info) +
			 fake_table_value(omp, FAKE_OFFSET_kmp_desc_base_t__ds_tid) + 4,
		 4, (uint64_t)made->gtid);
}

static void take(struct making *made, enum step step)
{
	switch (step) {
	case LISTED:
		list(made);
		break;
	case TEAM:
		SET(made, made->info, kmp_base_info_t, th_team, made->team);
		break;
	case NUMBER:
		SET(made, made->info, kmp_desc_base_t, ds_tid, (uint64_t)made->tid);
		break;
	case TASK:
		SET(made, made->info, kmp_base_info_t, th_current_task, own_task(made));
		break;
	case GTID:
		number(made);
		break;
	case CREATED:
		create(made);
		break;
	case PTHREAD:
		SET(made, made->info, kmp_desc_base_t, ds_thread, made->pthread);
		break;
	case MEMBER:
	case STEPS:
		fake_put_pointer(made->session.target, slot(made, made->tid), made->info);
		break;
	}
}

static const ompdx_view_thread_t *thread_at(const ompdx_view_t *view, uint64_t address)
{
	for (uint32_t i = 0; i < view->thread_count; i++) {
		if (view->threads[i].address == address)
			return &view->threads[i];
	}
	return NULL;
}

/* Nothing is damaged, the thread is what it is at this step, and the other one is nobody's. */
static void check_step(struct making *made, enum step step)
{
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_thread_t *thread;
	const ompdx_view_t *view;
	size_t count;
	ompdx_native_thread_t *natives = check_natives(made->session.target, &count);

	assert_ok(check_snapshot(made->session.handle, natives, count, &snapshot, &view));
	for (uint32_t i = 0; i < view->thread_count; i++)
		assert_int_equal(view->threads[i].problem, ompdx_problem_none);
	for (uint32_t i = 0; i < view->region_count; i++)
		assert_int_equal(view->regions[i].problem, ompdx_problem_none);
	thread = thread_at(view, made->info);
	assert_non_null(thread);
	assert_int_equal(thread->kind, ompdx_thread_worker);
	assert_int_equal(thread->runtime_id, made->gtid);
	assert_int_equal(thread->has_team, step >= TEAM);
	assert_true(thread->pthread_id == made->pthread);
	if (step < CREATED)
		assert_int_equal(thread->native, UINT32_MAX);
	else
		assert_true(natives[thread->native].pthread_id == made->pthread);
	if (step < MEMBER || made->growth == OF_GROWING_TEAM) {
		assert_int_equal(thread->level_count, 0);
	} else {
		assert_int_equal(thread->level_count, 2);
		assert_int_equal(view->levels[thread->level_first].thread_num, made->tid);
	}
	for (size_t i = 0; i < count; i++) {
		if (natives[i].pthread_id == made->bystander)
			assert_int_equal(view->threads[i].kind, ompdx_thread_none);
	}
	assert_ok(ompdx_snapshot_destroy(snapshot));
	free(natives);
}

/* By the standard's routines it is a thread as soon as the runtime knows its pthread. */
static void check_handles(struct making *made, enum step step)
{
	const bool member = made->growth == OF_NEW_TEAM && step >= MEMBER;
	const uint64_t ids[] = {made->bystander, made->pthread};
	ompd_parallel_handle_t *region = NULL;
	ompd_thread_handle_t *thread = NULL;
	ompd_rc_t rc;

	for (size_t i = 0; i < (made->pthread ? 2 : 1); i++)
		assert_rc(check_thread_handle(made->session.handle, made->session.target, ids[i],
					      &thread),
			  i == 1 && step >= PTHREAD ? ompd_rc_ok : ompd_rc_unavailable);
	if (step < PTHREAD)
		return;
	rc = ompd_get_curr_parallel_handle(thread, &region);
	if (rc != ompd_rc_ok || member || made->growth == OF_GROWING_TEAM)
		assert_rc(rc, member ? ompd_rc_ok : ompd_rc_unavailable);
	if (rc == ompd_rc_ok)
		assert_ok(ompd_rel_parallel_handle(region));
	assert_ok(ompd_rel_thread_handle(thread));
}

static void make_one(const struct fake_world *world, enum growth growth)
{
	struct making made = begin(world, growth);

	for (enum step step = LISTED; step < STEPS; step++) {
		take(&made, step);
		check_step(&made, step);
		check_handles(&made, step);
	}
	session_close(&made.session);
}

static void test_every_step(void **state)
{
	(void)state;
	for (size_t i = 0; i < fake_world_count; i++) {
		make_one(&fake_worlds[i], OF_NEW_TEAM);
		make_one(&fake_worlds[i], OF_GROWING_TEAM);
	}
}

/* Where the thread array has not been found before, it is found all the same. */
static void test_first_look(void **state)
{
	(void)state;
	for (size_t i = 0; i < fake_world_count; i++) {
		for (enum step step = LISTED; step < STEPS; step++) {
			struct making made = begin(&fake_worlds[i], OF_NEW_TEAM);

			for (enum step taken = LISTED; taken <= step; taken++)
				take(&made, taken);
			check_step(&made, step);
			session_close(&made.session);
		}
	}
}

static struct making made_up_to(enum step last)
{
	struct making made = begin(&fake_worlds[0], OF_NEW_TEAM);

	for (enum step step = LISTED; step <= last; step++)
		take(&made, step);
	return made;
}

/* A thread of the pool has the number that it had in its last team. */
static void test_from_the_pool(void **state)
{
	struct making made = made_up_to(PTHREAD);

	(void)state;
	SET(&made, made.info, kmp_base_info_t, th_current_task, 0);
	SET(&made, made.info, kmp_desc_base_t, ds_tid, 1);
	check_step(&made, PTHREAD);
	SET(&made, made.info, kmp_desc_base_t, ds_tid, (uint64_t)made.tid);
	check_step(&made, PTHREAD);
	session_close(&made.session);
}

/* A team that grows has its threads before it has its level: no region has begun, and no league. */
static void test_team_that_forms(void **state)
{
	struct session session = session_open("parallel");
	const struct fake_thread *root = fake_omp_thread(session.omp, 0);
	const uint64_t team = root->region->team;
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;

	(void)state;
	fake_set_member(session.omp, team, FAKE_OFFSET_kmp_base_team_t__t_level, 0);
	fake_set_member(session.omp, team, FAKE_OFFSET_kmp_base_team_t__t_active_level, 0);
	assert_ok(check_snapshot(session.handle, NULL, 0, &snapshot, &view));
	assert_int_equal(view->region_count, 1);
	assert_int_equal(view->regions[0].generator, ompd_generator_program);
	for (uint32_t i = 0; i < view->thread_count; i++) {
		const bool is_root = view->threads[i].address == root->address;

		assert_int_equal(view->threads[i].problem, ompdx_problem_none);
		assert_int_equal(view->threads[i].level_count, is_root ? 1 : 0);
		assert_int_equal(view->threads[i].kind,
				 is_root ? ompdx_thread_initial : ompdx_thread_worker);
	}
	assert_ok(ompdx_snapshot_destroy(snapshot));
	session_close(&session);
}

static void check_problem(struct making *made, uint64_t info)
{
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;

	assert_ok(check_snapshot(made->session.handle, NULL, 0, &snapshot, &view));
	assert_int_equal(thread_at(view, info)->problem, ompdx_problem_inconsistent);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	session_close(&made->session);
}

/* What is left at no step is damage. */
static void test_damage(void **state)
{
	struct making made = made_up_to(PTHREAD);
	uint64_t other;

	(void)state;
	/* Its place is another's. */
	other = fake_omp_thread(made.session.omp, 1)->address;
	fake_put_pointer(made.session.target, slot(&made, made.tid), other);
	check_problem(&made, made.info);
	/* It has another's task. */
	made = made_up_to(PTHREAD);
	SET(&made, made.info, kmp_base_info_t, th_current_task, own_task(&made) - 64);
	check_problem(&made, made.info);
	/* It would get a place before others that have theirs. */
	made = made_up_to(MEMBER);
	fake_put_pointer(made.session.target, slot(&made, 2), 0);
	check_problem(&made, fake_omp_thread(made.session.omp, 2)->address);
	/* Its team has it, and it has no pthread. */
	made = made_up_to(MEMBER);
	SET(&made, made.info, kmp_desc_base_t, ds_thread, 0);
	check_problem(&made, made.info);
	/* Two at a time. */
	made = made_up_to(GTID);
	other = made.info;
	made.gtid++;
	list(&made);
	check_problem(&made, other);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_every_step),      OPENED(test_first_look), OPENED(test_from_the_pool),
		OPENED(test_team_that_forms), OPENED(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
