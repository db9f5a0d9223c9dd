/* SPDX-License-Identifier: Apache-2.0
 *
 * Doacross loops: was an iteration posted, and who may still post it? By words of libomp as kmp_csupport.cpp writes them; on real
 * runtimes tests/gdb compares.
 */
#include "api_test.h"
#include "fake_loops.h"

enum { TEAM_SIZE = 4, BEGUN = 44, FLAGS = 48, INFO = 56 }; /* of kmp_disp_t */

static struct session session;
static ompdx_snapshot_handle_t *snapshot;
static uint64_t dispatches, flags, info;
static struct fake_region *region;

static void put_words(uint64_t at, const int64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fake_put(session.target, at + i * 8, 8, (uint64_t)words[i]);
}

static void set_thread(unsigned number, uint32_t begun, bool inside)
{
	const uint64_t dispatch = dispatches + number * (uint64_t)FAKE_DISP_SIZE;

	fake_put(session.target, dispatch + BEGUN, 4, begun);
	fake_put_pointer(session.target, dispatch + FLAGS, inside ? flags : 0);
	fake_put_pointer(session.target, dispatch + INFO, inside ? info : 0);
}

/* Threads 0 and 1 are in the team's third such loop, thread 2 has left it, thread 3 has not come: 5 by 40 iterations,
 * numbers of the inner loop go down by 2. */
static void begin(void)
{
	static const int64_t bounds[] = {2, 0x1000, 10, 14, 1, 40, 100, 22, -2};

	session = session_open("parallel");
	region = fake_omp_thread(session.omp, 0)->region;
	assert_int_equal(region->team_size, TEAM_SIZE);
	dispatches = fake_add_dispatch(region, session.omp);
	flags = fake_allocate_block(session.omp, 64);
	info = fake_allocate_block(session.omp, 128);
	put_words(info, bounds, sizeof(bounds) / sizeof(bounds[0]));
	set_thread(0, 3, true);
	set_thread(1, 3, true);
	set_thread(2, 3, false);
	set_thread(3, 2, false);
}

static void end(void)
{
	assert_ok(ompdx_snapshot_destroy(snapshot));
	session_close(&session);
}

static ompd_rc_t ask(int32_t number, int64_t outer, int64_t inner, size_t dimensions,
		     const ompdx_doacross_t **ret)
{
	const int64_t iteration[] = {outer, inner, 0};

	return ompdx_snapshot_doacross(snapshot, region->team, number, iteration, dimensions, ret);
}

static int32_t posted(int64_t outer, int64_t inner)
{
	const ompdx_doacross_t *loop;

	assert_ok(ask(0, outer, inner, 2, &loop));
	return loop->posted;
}

static void test_who(void **state)
{
	const ompdx_doacross_t *loop;

	(void)state;
	begin();
	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot));
	assert_ok(ompdx_snapshot_doacross(snapshot, region->team, 1, NULL, 0, &loop));
	assert_int_equal(loop->size, sizeof(*loop));
	assert_int_equal(loop->dimensions, 2);
	assert_int_equal(loop->posted, -1);
	assert_int_equal(loop->owner, -1);
	assert_int_equal(loop->member_count, TEAM_SIZE);
	assert_int_equal(loop->members[0], ompdx_doacross_inside);
	assert_int_equal(loop->members[1], ompdx_doacross_inside);
	assert_int_equal(loop->members[2], ompdx_doacross_left);
	assert_int_equal(loop->members[3], ompdx_doacross_elsewhere);
	end();
}

static void test_posted(void **state)
{
	(void)state;
	begin();
	/* (11, 96) is number 42, (14, 22) the last one. */
	fake_put(session.target, flags + 4, 4, 1u << 10);
	fake_put(session.target, flags + 24, 4, 1u << 7);
	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot));
	assert_int_equal(posted(11, 96), 1);
	assert_int_equal(posted(11, 98), 0);
	assert_int_equal(posted(14, 22), 1);
	assert_int_equal(posted(10, 100), 0);
	/* None of the loop's: nobody waits for them. */
	assert_int_equal(posted(9, 96), 1);
	assert_int_equal(posted(15, 96), 1);
	assert_int_equal(posted(11, 102), 1);
	assert_int_equal(posted(11, 20), 1);
	end();
}

static void test_refused(void **state)
{
	const ompdx_doacross_t *loop = UNTOUCHED;

	(void)state;
	begin();
	assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot));
	assert_rc(ask(0, 11, 96, 1, &loop), ompd_rc_bad_input);
	assert_rc(ask(0, 11, 96, 3, &loop), ompd_rc_bad_input);
	assert_rc(ask(0, 11, 96, SIZE_MAX, &loop), ompd_rc_bad_input);
	assert_rc(ask(0, 11, 96, 2, NULL), ompd_rc_bad_input);
	assert_rc(ask(-1, 11, 96, 2, &loop), ompd_rc_bad_input);
	assert_rc(ask(TEAM_SIZE, 11, 96, 2, &loop), ompd_rc_bad_input);
	assert_rc(ask(2, 11, 96, 2, &loop), ompd_rc_unavailable);
	assert_rc(ompdx_snapshot_doacross(snapshot, region->team, 0, NULL, 2, &loop),
		  ompd_rc_bad_input);
	assert_rc(ompdx_snapshot_doacross(snapshot, 0x10, 0, NULL, 0, &loop), ompd_rc_bad_input);
	assert_ptr_equal(loop, UNTOUCHED);
	end();
}

/* Whatever the words are, the answer is one or an error. */
static void test_nonsense(void **state)
{
	static const int64_t values[] = {0, -1, INT64_MAX, INT64_MIN, 1 << 20};

	(void)state;
	for (size_t word = 0; word < 9; word++) {
		for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
			const ompdx_doacross_t *loop = UNTOUCHED;

			begin();
			put_words(info + word * 8, &values[k], 1);
			assert_ok(ompdx_snapshot_create(session.handle, NULL, 0, &snapshot));
			if (ask(0, 11, 96, 2, &loop) != ompd_rc_ok)
				assert_ptr_equal(loop, UNTOUCHED);
			end();
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_who, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_posted, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_refused, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_nonsense, library_open, library_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
