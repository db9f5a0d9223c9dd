/* SPDX-License-Identifier: Apache-2.0
 *
 * Thread Handle Routines (41.4): ids in, ids out, and what is refused. Answers are compared with the
 * truth in test_truth.c.
 */
#include <string.h>

#include "api_test.h"

static struct fake_thread *thread_1(const struct session *session)
{
	return fake_omp_thread(session->omp, 1);
}

static void test_by_pthread(void **state)
{
	struct session session = session_open("parallel");
	uint64_t id = thread_1(&session)->pthread_id;
	ompd_thread_handle_t *thread = UNTOUCHED;

	(void)state;
	/* Sizes that no pthread_t of this target has. */
	static const ompd_size_t sizes[] = {0, 1, 4, 7, 9, 16, UINT64_MAX};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_rc(ompd_get_thread_handle(session.handle, OMPD_THREAD_ID_PTHREAD, sizes[i],
						 &id, &thread),
			  ompd_rc_bad_input);
	assert_rc(ompd_get_thread_handle(session.handle, OMPD_THREAD_ID_PTHREAD, 8, NULL, &thread),
		  ompd_rc_bad_input);
	assert_rc(ompd_get_thread_handle(session.handle, OMPD_THREAD_ID_PTHREAD, 8, &id, NULL),
		  ompd_rc_bad_input);
	id++;
	assert_rc(ompd_get_thread_handle(session.handle, OMPD_THREAD_ID_PTHREAD, 8, &id, &thread),
		  ompd_rc_unavailable);
	id = 0;
	assert_rc(ompd_get_thread_handle(session.handle, OMPD_THREAD_ID_PTHREAD, 8, &id, &thread),
		  ompd_rc_unavailable);
	assert_ptr_equal(thread, UNTOUCHED);
	session_close(&session);
}

static void test_unknown_kinds(void **state)
{
	static const ompd_thread_id_t kinds[] = {OMPD_THREAD_ID_WINTHREAD,
						 OMPD_THREAD_ID_CUDALOGICAL, OMPD_THREAD_ID_LO,
						 UINT64_MAX};
	struct session session = session_open("parallel");
	ompd_thread_handle_t *known = thread_handle(&session, thread_1(&session));
	ompd_thread_handle_t *thread = UNTOUCHED;
	uint64_t id = thread_1(&session)->pthread_id;
	uint64_t written = 0x5a5a;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_rc(ompd_get_thread_handle(session.handle, kinds[i], 8, &id, &thread),
			  ompd_rc_unsupported);
		assert_rc(ompd_get_thread_id(known, kinds[i], 8, &written), ompd_rc_unsupported);
	}
	assert_ptr_equal(thread, UNTOUCHED);
	assert_int_equal(written, 0x5a5a);
	session_close(&session);
}

/* The id bytes are the tool's only during the call. */
static void test_id_is_copied(void **state)
{
	struct session session = session_open("parallel");
	uint64_t id = thread_1(&session)->pthread_id;
	uint64_t written = 0;
	ompd_thread_handle_t *thread;

	(void)state;
	assert_ok(ompd_get_thread_handle(session.handle, OMPD_THREAD_ID_PTHREAD, 8, &id, &thread));
	id = 0;
	assert_ok(ompd_get_thread_id(thread, OMPD_THREAD_ID_PTHREAD, 8, &written));
	assert_int_equal(written, thread_1(&session)->pthread_id);
	assert_rc(ompd_get_thread_id(thread, OMPD_THREAD_ID_PTHREAD, 4, &written),
		  ompd_rc_bad_input);
	assert_rc(ompd_get_thread_id(thread, OMPD_THREAD_ID_PTHREAD, 8, NULL), ompd_rc_bad_input);
	assert_int_equal(written, thread_1(&session)->pthread_id);
	session_close(&session);
}

/* Kernel ids, in every world: where the C library says where it keeps them. */
static void test_by_lwp(void **state)
{
	(void)state;
	for (size_t i = 0; i < fake_world_count; i++) {
		struct session session =
			session_open_in(&fake_worlds[i], fake_scenario("several_roots"));
		const struct fake_machine machine = fake_worlds[i].machine;

		for (size_t k = 0; k < fake_omp_thread_count(session.omp); k++) {
			const struct fake_thread *truth = fake_omp_thread(session.omp, k);
			ompd_thread_handle_t *by_pthread = thread_handle(&session, truth);
			ompd_thread_handle_t *by_lwp;
			uint8_t id[4], written[4] = {0};
			int order = -1;

			fake_encode(machine, truth->lwp, 4, id);
			assert_ok(ompd_get_thread_handle(session.handle, OMPD_THREAD_ID_LWP, 4, id,
							 &by_lwp));
			assert_ok(ompd_thread_handle_compare(by_pthread, by_lwp, &order));
			assert_int_equal(order, 0);
			assert_ok(ompd_get_thread_id(by_lwp, OMPD_THREAD_ID_LWP, 4, written));
			assert_memory_equal(written, id, 4);
			assert_rc(ompd_get_thread_id(by_lwp, OMPD_THREAD_ID_LWP, 2, written),
				  ompd_rc_bad_input);
			fake_expire_thread_contexts();
		}
		session_close(&session);
	}
}

static void test_lwp_of_other_threads(void **state)
{
	struct session session = session_open("parallel");
	ompd_thread_handle_t *thread = UNTOUCHED;
	uint32_t lwp;

	(void)state;
	fake_native_thread(session.target);
	lwp = (uint32_t)fake_lwp_of(session.target, fake_thread_count(session.target) - 1);
	assert_rc(ompd_get_thread_handle(session.handle, OMPD_THREAD_ID_LWP, 4, &lwp, &thread),
		  ompd_rc_unavailable);
	lwp = 1;
	assert_rc(ompd_get_thread_handle(session.handle, OMPD_THREAD_ID_LWP, 4, &lwp, &thread),
		  ompd_rc_unavailable);
	assert_ptr_equal(thread, UNTOUCHED);
	session_close(&session);
}

/* Where it cannot be proven which kernel id a thread has, there is no answer. */
static void test_lwp_unproven(void **state)
{
	struct session session = session_open("parallel");
	ompd_thread_handle_t *known = thread_handle(&session, thread_1(&session));
	ompd_thread_handle_t *thread = UNTOUCHED;
	uint32_t lwp = (uint32_t)thread_1(&session)->lwp, written = 77;

	(void)state;
	fake_forget_symbol(session.target, "_thread_db_pthread_tid");
	assert_rc(ompd_get_thread_handle(session.handle, OMPD_THREAD_ID_LWP, 4, &lwp, &thread),
		  ompd_rc_unsupported);
	assert_rc(ompd_get_thread_id(known, OMPD_THREAD_ID_LWP, 4, &written), ompd_rc_unsupported);
	assert_ptr_equal(thread, UNTOUCHED);
	assert_int_equal(written, 77);
	session_close(&session);
}

/* A tool that can tell no thread by its pthread id: the thread array then has to prove itself. */
static void test_tool_without_thread_ids(void **state)
{
	struct session session;
	ompd_rc_t rc;

	(void)state;
	fake_know_threads(false);
	session = session_open("nested_three_deep");
	assert_null(check_standard(session.omp, session.handle, &rc));
	assert_ok(rc);
	session_close(&session);
}

static void test_device_of_thread(void **state)
{
	struct session session = session_open("parallel");
	ompd_thread_handle_t *thread = thread_handle(&session, thread_1(&session));
	ompd_address_space_handle_t *device = NULL;

	(void)state;
	assert_ok(ompd_get_device_from_thread(thread, &device));
	assert_ptr_equal(device, session.handle);
	assert_rc(ompd_get_device_from_thread(thread, NULL), ompd_rc_bad_input);
	session_close(&session);
}

/* The thread array belongs to the process that is looked at, not to the first one. */
static void test_thread_of_another_process(void **state)
{
	struct session first = session_open("parallel");
	struct session second = session_open("sequential");
	ompd_thread_handle_t *thread = UNTOUCHED;

	(void)state;
	assert_rc(check_thread_handle(second.handle, second.target, thread_1(&first)->pthread_id,
				      &thread),
		  ompd_rc_unavailable);
	assert_ptr_equal(thread, UNTOUCHED);
	session_close(&first);
	session_close(&second);
}

/* pthread ids are used again: the handle that a tool gets is that of the thread that lives now. */
static void test_thread_id_used_again(void **state)
{
	struct session session = session_open("parallel");
	struct fake_thread *old = thread_1(&session);
	struct fake_thread *young = fake_omp_thread(session.omp, 3);
	const uint64_t id = old->pthread_id;
	ompd_thread_handle_t *before = thread_handle(&session, old);
	ompd_thread_handle_t *after;
	ompd_parallel_handle_t *region;
	ompd_word_t number = -1;
	ompd_scope_t scope;
	ompd_icv_id_t icv;
	ompd_rc_t rc;

	(void)state;
	/* The old one ends; another thread of the team is now the one of this id. */
	fake_put_pointer(session.target, fake_threads_array(session.omp) + 8 * 1, 0);
	fake_set_member(session.omp, old->address, FAKE_OFFSET_kmp_desc_base_t__ds_thread, 0);
	fake_set_member(session.omp, young->address, FAKE_OFFSET_kmp_desc_base_t__ds_thread, id);
	assert_ok(check_thread_handle(session.handle, session.target, id, &after));
	icv = check_icv_id(session.handle, "thread-num-var", &scope, &rc);
	assert_ok(ompd_get_icv_from_scope(after, scope, icv, &number));
	assert_int_equal(number, 3);
	assert_ok(ompd_get_curr_parallel_handle(after, &region));
	assert_ok(ompd_rel_thread_handle(before));
	session_close(&session);
}

/* A thread that has ended: its structure is another's now, is full of what malloc's users write, or is gone. */
static void test_ended_thread(void **state)
{
	(void)state;
	for (unsigned fate = 0; fate < 4; fate++) {
		struct session session = session_open("parallel");
		const struct fake_thread *truth = fake_omp_thread(session.omp, 2);
		ompd_thread_handle_t *thread = thread_handle(&session, truth);
		ompd_parallel_handle_t *region = UNTOUCHED;
		ompd_task_handle_t *task = UNTOUCHED;
		uint64_t id = 0;

		if (fate == 0)
			fake_set_member(session.omp, truth->address,
					FAKE_OFFSET_kmp_desc_base_t__ds_thread,
					truth->pthread_id + 0x1000);
		for (uint64_t at = 0; fate == 1 && at < 512; at += 8)
			fake_put(session.target, truth->address + at, 8,
				 UINT64_C(0xefefefefefefefef));
		if (fate >= 2)
			fake_hide(session.target, truth->address, 512);
		/* All threads have, as after omp_pause_resource_all; or this one. */
		if (fate == 2)
			fake_put_pointer(session.target, fake_threads_variable(session.omp), 0);
		if (fate == 3)
			fake_put_pointer(session.target, fake_threads_array(session.omp) + 2 * 8,
					 0);
		assert_rc(ompd_get_thread_id(thread, OMPD_THREAD_ID_PTHREAD, 8, &id),
			  ompd_rc_stale_handle);
		assert_rc(ompd_get_curr_parallel_handle(thread, &region), ompd_rc_stale_handle);
		assert_rc(ompd_get_curr_task_handle(thread, &task), ompd_rc_stale_handle);
		assert_int_equal(id, 0);
		assert_ptr_equal(region, UNTOUCHED);
		assert_ptr_equal(task, UNTOUCHED);
		assert_ok(ompd_rel_thread_handle(thread));
		session_close(&session);
	}
}

/* Kernel ids are found by hints that the structures confirm, not by a walk at each call. */
static void test_cost_of_lwps(void **state)
{
	static const struct fake_world world = {
		"", {8, false}, {.layout = FAKE_LLVM_19, .capacity = 128}};
	struct session session = session_open_in(&world, fake_scenario("sequential"));

	(void)state;
	fake_parallel(fake_omp_thread(session.omp, 0), 64);
	fake_know_lwps(true);
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < 64; i++) {
			const struct fake_thread *truth = fake_omp_thread(session.omp, i);
			const uint32_t lwp = (uint32_t)truth->lwp;
			ompd_thread_handle_t *thread;
			uint64_t id;

			if (round == 1 || i > 0)
				fake_counts_reset();
			assert_ok(ompd_get_thread_handle(session.handle, OMPD_THREAD_ID_LWP, 4,
							 &lwp, &thread));
			if (round == 1 || i > 0)
				assert_true(fake_counts().calls[FAKE_READ] <= 8);
			assert_ok(ompd_get_thread_id(thread, OMPD_THREAD_ID_PTHREAD, 8, &id));
			assert_int_equal(id, truth->pthread_id);
			assert_ok(ompd_rel_thread_handle(thread));
		}
	}
	session_close(&session);
}

/* The kernel gave the number to another thread meanwhile: no hint is believed. */
static void test_lwp_of_another(void **state)
{
	struct session session = session_open("parallel");
	const struct fake_thread *first = fake_omp_thread(session.omp, 1);
	const struct fake_thread *second = fake_omp_thread(session.omp, 2);
	const uint32_t lwp = (uint32_t)first->lwp;
	ompd_thread_handle_t *thread;
	uint64_t id;

	(void)state;
	assert_ok(ompd_get_thread_handle(session.handle, OMPD_THREAD_ID_LWP, 4, &lwp, &thread));
	assert_ok(ompd_rel_thread_handle(thread));
	fake_put(session.target, first->pthread_id + 0x2d0, 4, 999999);
	fake_put(session.target, second->pthread_id + 0x2d0, 4, lwp);
	assert_ok(ompd_get_thread_handle(session.handle, OMPD_THREAD_ID_LWP, 4, &lwp, &thread));
	assert_ok(ompd_get_thread_id(thread, OMPD_THREAD_ID_PTHREAD, 8, &id));
	assert_int_equal(id, second->pthread_id);
	assert_ok(ompd_rel_thread_handle(thread));
	session_close(&session);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_by_pthread),
		OPENED(test_unknown_kinds),
		OPENED(test_id_is_copied),
		OPENED(test_by_lwp),
		OPENED(test_lwp_of_other_threads),
		OPENED(test_lwp_unproven),
		OPENED(test_tool_without_thread_ids),
		OPENED(test_device_of_thread),
		OPENED(test_thread_of_another_process),
		OPENED(test_thread_id_used_again),
		OPENED(test_ended_thread),
		OPENED(test_cost_of_lwps),
		OPENED(test_lwp_of_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
