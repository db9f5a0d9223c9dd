/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks: who holds and who waits is told by the view's indexes, and a build whose table of locks cannot be found
 * says so. On a real runtime they are compared with the truth in tests/gdb.
 */
#include "api_test.h"
#include "fake_locks.h"

static uint32_t index_of(const ompdx_view_t *view, const struct fake_thread *thread)
{
	for (uint32_t i = 0; i < view->thread_count; i++) {
		if (view->threads[i].runtime_id == thread->gtid)
			return i;
	}
	return UINT32_MAX;
}

/* The tool's order of threads is not the runtime's. */
static void test_owner_and_waiters(void **state)
{
	struct session session = session_open("parallel");
	const struct fake_thread *owner = fake_omp_thread(session.omp, 2);
	const struct fake_thread *const waiters[] = {fake_omp_thread(session.omp, 3),
						     fake_omp_thread(session.omp, 1)};
	ompdx_native_thread_t native = {.size = sizeof(native),
					.known = OMPDX_NATIVE_PTHREAD,
					.pthread_id = waiters[0]->pthread_id};
	const uint64_t lock = fake_add_locks(session.omp, 3) + FAKE_LOCK_SIZE;
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_locks_t *locks;
	const ompdx_view_t *view;

	(void)state;
	fake_hold_lock(session.omp, lock, owner, waiters, 2);
	assert_ok(check_snapshot(session.handle, &native, 1, &snapshot, &view));
	assert_ok(ompdx_snapshot_locks(snapshot, NULL, 0, &locks));
	assert_int_equal(locks->lock_count, 1);
	assert_true(locks->locks[0].address == lock);
	assert_int_equal(locks->locks[0].owner, index_of(view, owner));
	assert_int_equal(locks->locks[0].owner_id, owner->gtid);
	assert_int_equal(locks->locks[0].waiter_count, 2);
	assert_int_equal(locks->waiters[0], 0);
	assert_int_equal(locks->waiters[1], index_of(view, waiters[1]));
	session_close(&session);
}

/* The runtime keeps no thread of that number any more: held, by somebody whom nobody knows. */
static void test_owner_that_is_gone(void **state)
{
	struct session session = session_open("parallel");
	const uint64_t lock = fake_add_locks(session.omp, 1);
	struct fake_thread gone = *fake_omp_thread(session.omp, 1);
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_locks_t *locks;

	(void)state;
	gone.gtid = 40;
	fake_hold_lock(session.omp, lock, &gone, NULL, 0);
	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot));
	assert_ok(ompdx_snapshot_locks(snapshot, NULL, 0, &locks));
	assert_int_equal(locks->locks[0].held, 1);
	assert_int_equal(locks->locks[0].owner, UINT32_MAX);
	assert_int_equal(locks->locks[0].owner_id, 40);
	session_close(&session);
}

static void test_no_table(void **state)
{
	struct session session = session_open("parallel");
	const ompdx_locks_t *locks = UNTOUCHED;
	ompdx_snapshot_handle_t *snapshot;

	(void)state;
	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot));
	assert_rc(ompdx_snapshot_locks(snapshot, NULL, 0, &locks), ompd_rc_unavailable);
	assert_ptr_equal(locks, UNTOUCHED);
	session_close(&session);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_owner_and_waiters),
		OPENED(test_owner_that_is_gone),
		OPENED(test_no_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
