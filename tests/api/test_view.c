/* SPDX-License-Identifier: Apache-2.0
 *
 * The view: what a tool may bring along, how long it lives, what it costs. What it says is
 * compared with the truth in test_truth.c.
 */
#include <stdlib.h>
#include <string.h>

#include "api_test.h"

/* Each element says its size; the arrays are walked by it. */
static void test_sizes(void **state)
{
	struct session session = session_open("nested_three_deep");
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;

	(void)state;
	assert_ok(check_snapshot(session.handle, NULL, 0, &snapshot, &view));
	assert_true(view->size >= sizeof(*view));
	assert_true(view->threads[0].size >= sizeof(view->threads[0]));
	assert_true(view->regions[0].size >= sizeof(view->regions[0]));
	assert_ok(ompdx_snapshot_destroy(snapshot));
	session_close(&session);
}

/* A later tool's struct is longer: the library takes what it knows. */
static void test_tool_of_the_future(void **state)
{
	struct longer {
		ompdx_native_thread_t known;
		uint64_t added[3];
	};
	struct session session = session_open("several_roots");
	const size_t count = fake_thread_count(session.target);
	struct longer *threads = calloc(count, sizeof(*threads));
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;
	unsigned problems;

	(void)state;
	assert_non_null(threads);
	for (size_t i = 0; i < count; i++) {
		threads[i].known.size = sizeof(*threads);
		threads[i].known.known = OMPDX_NATIVE_PTHREAD;
		threads[i].known.pthread_id = fake_pthread_of(session.target, i);
		memset(threads[i].added, 0xff, sizeof(threads[i].added));
	}
	assert_ok(check_snapshot(session.handle, &threads[0].known, count, &snapshot, &view));
	assert_null(check_view(session.omp, view, CHECK_NATIVES, &problems));
	assert_int_equal(problems, 0);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	free(threads);
	session_close(&session);
}

/* The tool knows some threads; the runtime's others follow and are marked. */
static void test_some_threads(void **state)
{
	struct session session = session_open("parallel");
	struct fake_thread *second = fake_omp_thread(session.omp, 2);
	ompdx_native_thread_t natives[3] = {
		{.size = sizeof(natives[0])}, /* nothing is known of it */
		{.size = sizeof(natives[0]),
		 .known = OMPDX_NATIVE_PTHREAD,
		 .pthread_id = second->pthread_id},
		{.size = sizeof(natives[0]), .known = OMPDX_NATIVE_PTHREAD, .pthread_id = 12345},
	};
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;
	unsigned seen = 0;

	(void)state;
	assert_ok(check_snapshot(session.handle, natives, 3, &snapshot, &view));
	assert_int_equal(view->thread_count, 3 + 3);
	assert_int_equal(view->threads[0].kind, ompdx_thread_none);
	assert_int_equal(view->threads[1].runtime_id, second->gtid);
	assert_int_equal(view->threads[2].kind, ompdx_thread_none);
	assert_int_equal(view->threads[2].level_count, 0);
	for (uint32_t i = 3; i < 6; i++) {
		assert_int_equal(view->threads[i].native, UINT32_MAX);
		seen |= 1u << view->threads[i].runtime_id;
	}
	assert_int_equal(seen, 1u << 0 | 1u << 1 | 1u << 3);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	session_close(&session);
}

/* The tool lists a thread twice: neither loses its place, and the view's shape holds. */
static void test_thread_listed_twice(void **state)
{
	struct session session = session_open("parallel");
	ompdx_native_thread_t natives[2];
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;
	unsigned problems;

	(void)state;
	memset(natives, 0, sizeof(natives));
	for (size_t i = 0; i < 2; i++) {
		natives[i].size = sizeof(natives[i]);
		natives[i].known = OMPDX_NATIVE_PTHREAD;
		natives[i].pthread_id = fake_omp_thread(session.omp, 1)->pthread_id;
	}
	assert_ok(check_snapshot(session.handle, natives, 2, &snapshot, &view));
	assert_int_equal(view->threads[0].native, 0);
	assert_int_equal(view->threads[1].native, 1);
	assert_null(check_view(session.omp, view, 0, &problems));
	assert_ok(ompdx_snapshot_destroy(snapshot));
	session_close(&session);
}

/* It stays what it was, whatever happens to the target. */
static void test_stays(void **state)
{
	struct session session = session_open("nested_three_deep");
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;
	unsigned problems;

	(void)state;
	assert_ok(check_snapshot(session.handle, NULL, 0, &snapshot, &view));
	fake_set_member(session.omp, fake_omp_thread(session.omp, 0)->address,
			FAKE_OFFSET_kmp_base_info_t__th_team, 0);
	assert_null(check_view(session.omp, view, 0, &problems));
	assert_int_equal(problems, 0);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	session_close(&session);
}

/* ---- What it costs ---- */

static unsigned distinct_teams(const struct fake_libomp *omp)
{
	unsigned count = 0;

	for (const struct fake_region *region = fake_regions(omp); region; region = region->next) {
		bool new = !region->ended;

		for (const struct fake_region *other = fake_regions(omp); other != region;
		     other = other->next)
			new = new && other->team != region->team;
		count += new;
	}
	return count;
}

static void check_cost(int outer, int inner, unsigned threads_expected)
{
	const struct fake_machine machine = {8, false};
	struct fake_libomp *omp = fake_process_create(
		machine, (struct fake_libomp_options){.layout = FAKE_LLVM_19, .capacity = 512});
	struct fake_region *region = fake_parallel(fake_root(omp), outer);
	ompd_address_space_handle_t *handle;
	struct fake_counts first, counts;
	ompdx_native_thread_t *natives;
	unsigned problems;
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;
	size_t threads, count;

	for (int i = 0; inner > 1 && i < outer; i++)
		fake_parallel(fake_member(region, i), inner);
	threads = fake_omp_thread_count(omp);
	assert_int_equal(threads, threads_expected);
	natives = check_natives(fake_libomp_target(omp), &count);
	fake_counts_reset();
	assert_ok(ompd_process_initialize(fake_context(fake_libomp_target(omp)), &handle));
	assert_ok(check_snapshot(handle, natives, count, &snapshot, &view));
	assert_ok(ompdx_snapshot_destroy(snapshot));

	first = fake_counts();
	fake_counts_reset();
	assert_ok(check_snapshot(handle, natives, count, &snapshot, &view));
	counts = fake_counts();
	assert_null(check_view(omp, view, CHECK_NATIVES, &problems));
	assert_int_equal(problems, 0);
	print_message("%zu threads, %u teams: %u reads, %u of strings, %llu bytes, %u allocations "
		      "(opening and a first view: %u calls)\n",
		      threads, distinct_teams(omp), counts.calls[FAKE_READ],
		      counts.calls[FAKE_READ_STRING], (unsigned long long)counts.bytes_read,
		      counts.calls[FAKE_ALLOC], fake_calls(&first));
	assert_true(counts.calls[FAKE_READ] + counts.calls[FAKE_READ_STRING] <=
		    3 * threads + 4 * distinct_teams(omp));
	assert_int_equal(counts.calls[FAKE_LOOKUP], 0);
	assert_int_equal(counts.calls[FAKE_THREAD_CONTEXT], 0);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	assert_ok(ompd_rel_address_space_handle(handle));
	free(natives);
	fake_process_destroy(omp);
}

static void test_cost(void **state)
{
	(void)state;
	check_cost(64, 1, 64);
	check_cost(70, 1, 70);
	check_cost(16, 4, 64);
	check_cost(300, 1, 300);
	check_cost(100, 3, 300);
}

/* Three hundred threads at three levels. */
static void test_many_threads(void **state)
{
	const struct fake_machine machine = {8, false};
	struct fake_libomp *omp = fake_process_create(
		machine, (struct fake_libomp_options){.layout = FAKE_LLVM_19, .capacity = 512});
	struct fake_region *outer = fake_parallel(fake_root(omp), 10);
	ompd_address_space_handle_t *handle;
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;
	unsigned problems;
	ompd_rc_t rc;

	(void)state;
	for (int i = 0; i < 10; i++) {
		struct fake_region *middle = fake_parallel(fake_member(outer, i), 6);

		for (int k = 0; k < 6; k++)
			fake_parallel(fake_member(middle, k), 5);
	}
	assert_int_equal(fake_omp_thread_count(omp), 300);
	assert_ok(ompd_process_initialize(fake_context(fake_libomp_target(omp)), &handle));
	assert_ok(check_snapshot(handle, NULL, 0, &snapshot, &view));
	assert_null(check_view(omp, view, 0, &problems));
	assert_int_equal(problems, 0);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	assert_null(check_standard(omp, handle, &rc));
	assert_ok(rc);
	assert_ok(ompd_rel_address_space_handle(handle));
	fake_process_destroy(omp);
}

/* Where a thread pointer is nobody's pthread id the kernel's id tells. */
static void test_thread_pointer_and_lwp(void **state)
{
	struct session session = session_open("parallel");
	const size_t count = fake_thread_count(session.target);
	ompdx_native_thread_t natives[16] = {0};
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;
	unsigned problems;

	(void)state;
	assert_true(count <= 16);
	for (size_t i = 0; i < count; i++) {
		natives[i].size = sizeof(natives[i]);
		natives[i].known = OMPDX_NATIVE_THREAD_POINTER | OMPDX_NATIVE_LWP;
		natives[i].thread_pointer = fake_pthread_of(session.target, i) + 0x700;
		natives[i].lwp = fake_lwp_of(session.target, i);
	}
	assert_ok(check_snapshot(session.handle, natives, count, &snapshot, &view));
	assert_null(check_view(session.omp, view, CHECK_NATIVES, &problems));
	assert_int_equal(problems, 0);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	session_close(&session);
}

/* The tool knows some by their pthread id, others by the kernel's: what stands in the former's memory is not asked. */
static void test_pthreads_and_lwps(void **state)
{
	struct session session = session_open("parallel");
	const size_t count = fake_thread_count(session.target);
	const uint64_t first = fake_pthread_of(session.target, 0);
	const uint64_t lwp = fake_lwp_of(session.target, 0);
	ompdx_native_thread_t natives[16] = {0};
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;
	uint64_t offset = 0;
	unsigned problems;

	(void)state;
	assert_true(count <= 16);
	while (fake_get(session.target, first + offset, 4) != lwp)
		offset += 4;
	for (size_t i = 0; i < count; i++) {
		natives[i].size = sizeof(natives[i]);
		natives[i].known = i ? OMPDX_NATIVE_LWP | OMPDX_NATIVE_PTHREAD : OMPDX_NATIVE_LWP;
		natives[i].pthread_id = fake_pthread_of(session.target, i);
		natives[i].lwp = fake_lwp_of(session.target, i);
		fake_put(session.target, natives[i].pthread_id + offset, 4, lwp);
	}
	assert_ok(check_snapshot(session.handle, natives, count, &snapshot, &view));
	assert_null(check_view(session.omp, view, CHECK_NATIVES, &problems));
	assert_int_equal(problems, 0);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	session_close(&session);
}

/* A tool that was compiled with the first header: its structs are these, whatever is appended later. */
static void test_tool_of_the_past(void **state)
{
	struct first_image {
		uint64_t size, load_bias, dynamic;
		const char *path;
	} image;
	struct first_native {
		uint64_t size;
		uint32_t known, reserved;
		uint64_t pthread_id, thread_pointer, lwp;
	} natives[16];
	struct first_variable {
		uint64_t size, address;
		int32_t critical;
		uint32_t reserved;
	} variable = {.size = sizeof(variable)};
	struct session session = session_open("parallel");
	const size_t count = fake_thread_count(session.target);
	const struct fake_image *loaded = fake_libomp_image(session.omp);
	ompd_address_space_handle_t *handle;
	ompdx_runtimes_t *runtimes;
	const ompdx_locks_t *locks;
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;
	unsigned problems;
	ompd_rc_t rc;

	(void)state;
	memset(natives, 0, sizeof(natives));
	for (size_t i = 0; i < count; i++) {
		natives[i].size = sizeof(natives[i]);
		natives[i].known = OMPDX_NATIVE_PTHREAD;
		natives[i].pthread_id = fake_pthread_of(session.target, i);
	}
	assert_ok(check_snapshot(session.handle, (const void *)natives, count, &snapshot, &view));
	assert_null(check_view(session.omp, view, CHECK_NATIVES, &problems));
	rc = ompdx_snapshot_locks(snapshot, (const void *)&variable, 1, &locks);
	assert_int_not_equal(rc, ompd_rc_bad_input);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	image = (struct first_image){sizeof(image), loaded->bias, loaded->dynamic, loaded->path};
	assert_ok(ompdx_find_runtimes(fake_context(session.target), (const void *)&image, 1,
				      &runtimes));
	assert_int_equal(runtimes->count, 1);
	assert_ok(fake_callbacks()->free_memory(runtimes));
	assert_ok(ompdx_process_initialize(fake_context(session.target), (const void *)&image,
					   &handle));
	assert_ok(ompd_rel_address_space_handle(handle));
	session_close(&session);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_sizes),
		OPENED(test_tool_of_the_future),
		OPENED(test_some_threads),
		OPENED(test_thread_listed_twice),
		OPENED(test_stays),
		OPENED(test_cost),
		OPENED(test_many_threads),
		OPENED(test_thread_pointer_and_lwp),
		OPENED(test_pthreads_and_lwps),
		OPENED(test_tool_of_the_past),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
