/* SPDX-License-Identifier: Apache-2.0
 *
 * Process Initialization and Finalization, Address Space Information (41.2, 41.3), and the extensions
 * that find and open runtimes: which process is accepted, what is said of it, at what cost.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "api_test.h"

static struct fake_libomp *process(struct fake_libomp_options options)
{
	const struct fake_machine machine = {8, false};

	return fake_process_create(machine, options);
}

static ompdx_runtime_info_t info_of(ompd_address_space_handle_t *handle)
{
	ompdx_runtime_info_t info = {.size = sizeof(info)};

	assert_ok(ompdx_get_runtime_info(handle, &info));
	return info;
}

/* ---- Which process ---- */

static void test_arguments(void **state)
{
	struct fake_libomp *omp = process((struct fake_libomp_options){.layout = FAKE_LLVM_19});
	ompd_address_space_context_t *context = fake_context(fake_libomp_target(omp));
	ompd_address_space_handle_t *handle = UNTOUCHED;
	const ompdx_image_t image = {.size = sizeof(image)};
	const ompdx_image_t tiny = {.size = 4};
	ompdx_runtimes_t *runtimes = UNTOUCHED;

	(void)state;
	assert_rc(ompd_process_initialize(NULL, &handle), ompd_rc_bad_input);
	assert_rc(ompd_process_initialize(context, NULL), ompd_rc_bad_input);
	assert_rc(ompdx_process_initialize(NULL, &image, &handle), ompd_rc_bad_input);
	assert_rc(ompdx_process_initialize(context, NULL, &handle), ompd_rc_bad_input);
	assert_rc(ompdx_process_initialize(context, &tiny, &handle), ompd_rc_bad_input);
	assert_rc(ompdx_process_initialize(context, &image, NULL), ompd_rc_bad_input);
	assert_rc(ompdx_find_runtimes(NULL, NULL, 0, &runtimes), ompd_rc_bad_input);
	assert_rc(ompdx_find_runtimes(context, NULL, 1, &runtimes), ompd_rc_bad_input);
	assert_rc(ompdx_find_runtimes(context, &tiny, 1, &runtimes), ompd_rc_bad_input);
	assert_rc(ompdx_find_runtimes(context, NULL, 0, NULL), ompd_rc_bad_input);
	assert_ptr_equal(handle, UNTOUCHED);
	assert_ptr_equal(runtimes, UNTOUCHED);
	fake_process_destroy(omp);
}

static void test_before_initialize(void **state)
{
	struct fake_libomp *omp = process((struct fake_libomp_options){.layout = FAKE_LLVM_19});
	ompd_address_space_context_t *context = fake_context(fake_libomp_target(omp));
	const ompdx_image_t image = {.size = sizeof(image)};
	ompd_address_space_handle_t *handle = UNTOUCHED;
	ompdx_diagnostics_t *diagnostics = UNTOUCHED;
	ompdx_runtimes_t *runtimes = UNTOUCHED;

	(void)state;
	assert_int_not_equal(ompd_process_initialize(context, &handle), ompd_rc_ok);
	assert_int_not_equal(ompdx_process_initialize(context, &image, &handle), ompd_rc_ok);
	assert_int_not_equal(ompdx_find_runtimes(context, NULL, 0, &runtimes), ompd_rc_ok);
	assert_int_not_equal(ompdx_get_diagnostics(NULL, &diagnostics), ompd_rc_ok);
	assert_ptr_equal(handle, UNTOUCHED);
	assert_ptr_equal(runtimes, UNTOUCHED);
	assert_ptr_equal(diagnostics, UNTOUCHED);
	fake_process_destroy(omp);
}

static void test_without_openmp(void **state)
{
	const struct fake_machine machine = {8, false};
	struct fake_target *target = fake_target_create(machine);
	struct fake_image images[2];
	ompd_address_space_handle_t *handle = UNTOUCHED;
	ompdx_runtimes_t *runtimes;
	ompdx_image_t image = {.size = sizeof(image)};

	(void)state;
	images[0] = fake_executable_load(target);
	images[1] = fake_libc_load(target);
	fake_link_map(target, images, 2);
	assert_rc(ompd_process_initialize(fake_context(target), &handle), ompd_rc_incompatible);
	assert_ptr_equal(handle, UNTOUCHED);
	assert_true(noted(NULL, "no_runtime"));

	assert_ok(ompdx_find_runtimes(fake_context(target), NULL, 0, &runtimes));
	assert_int_equal(runtimes->count, 0);
	assert_ok(fake_callbacks()->free_memory(runtimes));

	image.load_bias = images[1].base;
	image.dynamic = images[1].dynamic;
	assert_rc(ompdx_process_initialize(fake_context(target), &image, &handle),
		  ompd_rc_incompatible);
	assert_ptr_equal(handle, UNTOUCHED);
	fake_target_destroy(target);
}

/* Nothing has been loaded yet: the dynamic linker has no list. */
static void test_before_the_program_runs(void **state)
{
	const struct fake_machine machine = {8, false};
	struct fake_target *target = fake_target_create(machine);
	ompd_address_space_handle_t *handle = UNTOUCHED;
	ompdx_runtimes_t *runtimes = UNTOUCHED;

	(void)state;
	fake_executable_load(target);
	assert_rc(ompd_process_initialize(fake_context(target), &handle), ompd_rc_incompatible);
	assert_rc(ompdx_find_runtimes(fake_context(target), NULL, 0, &runtimes),
		  ompd_rc_unavailable);
	assert_ptr_equal(handle, UNTOUCHED);
	assert_ptr_equal(runtimes, UNTOUCHED);
	assert_true(noted(NULL, "link_map_unreadable"));
	fake_target_destroy(target);
}

/* A runtime that is loaded and not started is recognised; what it has to tell comes later, to the same
 * handle. */
static void test_loaded_not_started(void **state)
{
	static const bool published[] = {false, true};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fake_libomp *omp = process((struct fake_libomp_options){
			.layout = FAKE_LLVM_19, .published = published[i]});
		struct fake_target *target = fake_libomp_target(omp);
		const uint64_t pthread_id = fake_native_thread(target);
		ompd_address_space_handle_t *handle;
		ompd_thread_handle_t *thread = UNTOUCHED;
		ompdx_snapshot_handle_t *snapshot = UNTOUCHED;
		const ompdx_view_t *view = UNTOUCHED;
		ompdx_runtime_info_t info;
		ompd_rc_t rc;

		assert_ok(ompd_process_initialize(fake_context(target), &handle));
		info = info_of(handle);
		assert_int_equal(info.initialized, 0);
		assert_int_equal(info.descriptors, ompdx_descriptors_none);
		assert_rc(check_thread_handle(handle, target, pthread_id, &thread),
			  ompd_rc_unavailable);
		assert_rc(check_snapshot(handle, NULL, 0, &snapshot, &view), ompd_rc_unavailable);
		assert_ptr_equal(thread, UNTOUCHED);
		assert_ptr_equal(view, UNTOUCHED);

		fake_parallel(fake_root(omp), 3);
		assert_null(check_standard(omp, handle, &rc));
		assert_ok(rc);
		assert_int_equal(info_of(handle).initialized, 1);
		assert_ok(ompd_rel_address_space_handle(handle));
		fake_process_destroy(omp);
	}
}

/* LLVM's plugin does not survive a read that fails, and every search is paid for at each call: before the start
 * nothing is read but what says that it has not come. */
static void test_cost_before_the_start(void **state)
{
	static const bool published[] = {false, true};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fake_libomp *omp = process((struct fake_libomp_options){
			.layout = FAKE_LLVM_19, .published = published[i]});
		struct fake_target *target = fake_libomp_target(omp);
		const struct fake_image *image = fake_libomp_image(omp);
		const uint64_t pthread_id = fake_native_thread(target);
		const char *const *variables;
		ompd_address_space_handle_t *handle;
		ompd_thread_handle_t *thread;
		ompdx_snapshot_handle_t *snapshot;
		const ompdx_view_t *view;

		/* Words that are no addresses, and lie where variables do. */
		for (uint64_t at = image->data + 0x2000; at + 8 < image->data + 0x2b00; at += 8)
			fake_put(target, at, 8, UINT64_C(0x7e0000000000) + at * 64);
		assert_ok(ompd_process_initialize(fake_context(target), &handle));
		assert_int_equal(info_of(handle).initialized, 0);
		fake_counts_reset();
		assert_int_equal(info_of(handle).initialized, 0);
		assert_rc(check_thread_handle(handle, target, pthread_id, &thread),
			  ompd_rc_unavailable);
		assert_rc(check_snapshot(handle, NULL, 0, &snapshot, &view), ompd_rc_unavailable);
		assert_true(noted(handle, "not_started"));
		assert_ok(ompd_get_display_control_vars(handle, &variables));
		assert_ok(ompd_rel_display_control_vars(&variables));
		assert_int_equal(fake_counts().calls[FAKE_LOOKUP], 0);
		assert_true(fake_counts().calls[FAKE_READ] <= 30);
		assert_true(fake_counts().bytes_read <= 30 * 8);
		assert_int_equal(fake_failed_reads(), 0);
		assert_ok(ompd_rel_address_space_handle(handle));
		fake_process_destroy(omp);
	}
}

/* Where its symbol is, no word is taken for the thread array's address that is none. */
static void test_no_search_with_symbols(void **state)
{
	struct fake_libomp *omp =
		process((struct fake_libomp_options){.layout = FAKE_LLVM_19, .published = true});
	struct fake_target *target = fake_libomp_target(omp);
	const struct fake_image *image = fake_libomp_image(omp);
	ompd_address_space_handle_t *handle;
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;

	(void)state;
	fake_root(omp);
	for (uint64_t at = image->data + 0x2000; at + 8 < image->data + 0x2a00; at += 8)
		fake_put(target, at, 8, UINT64_C(0x7e0000000000) + at * 64);
	/* Its array has not been made. */
	fake_put_pointer(target, fake_threads_variable(omp), 0);
	assert_ok(ompd_process_initialize(fake_context(target), &handle));
	fake_counts_reset();
	assert_rc(check_snapshot(handle, NULL, 0, &snapshot, &view), ompd_rc_unavailable);
	assert_true(noted(handle, "threads_not_found"));
	assert_int_equal(fake_failed_reads(), 0);
	assert_ok(ompd_rel_address_space_handle(handle));
	fake_process_destroy(omp);
}

/* ---- What is said of it ---- */

static void test_runtime_info(void **state)
{
	(void)state;
	for (size_t i = 0; i < fake_world_count; i++) {
		struct session session =
			session_open_in(&fake_worlds[i], fake_scenario("parallel"));
		const ompdx_runtime_info_t info = info_of(session.handle);
		const struct fake_image *image = fake_libomp_image(session.omp);
		static const uint8_t build_id[4] = {0x88, 0xdd, 0x4c, 0x1b};
		char number[16];

		print_message("%s\n", fake_worlds[i].name);
		assert_int_equal(info.size, sizeof(info));
		assert_int_equal(info.kind, ompdx_runtime_llvm);
		assert_int_equal(info.version, fake_expected_version(session.omp));
		assert_int_equal(info.initialized, 1);
		assert_int_equal(info.state_tracking, 0);
		assert_int_equal(info.descriptors, fake_worlds[i].options.published
							   ? ompdx_descriptors_symbols
							   : ompdx_descriptors_recovered);
		/* The records fit the measured releases, and no other. */
		assert_int_equal(info.record[0] != '\0', fake_has_record(session.omp));
		assert_int_equal(noted(session.handle, "record_unknown"),
				 !fake_has_record(session.omp));
		assert_int_equal(info.build_id_length, 20);
		assert_memory_equal(info.build_id, build_id, sizeof(build_id));
		assert_int_equal(info.start, image->base);
		assert_int_equal(info.end, image->end);
		snprintf(number, sizeof(number), " %d", fake_expected_version(session.omp));
		if (fake_expected_version(session.omp) >= 0)
			assert_non_null(strstr(info.version_text, number));
		session_close(&session);
	}
}

static void test_info_of_an_older_tool(void **state)
{
	struct session session = session_open("parallel");
	ompdx_runtime_info_t info;

	(void)state;
	/* A tool whose struct ended behind `version`. */
	memset(&info, 0x5a, sizeof(info));
	info.size = offsetof(ompdx_runtime_info_t, initialized);
	assert_ok(ompdx_get_runtime_info(session.handle, &info));
	assert_int_equal(info.version, 19);
	assert_int_equal(info.initialized, 0x5a5a5a5a);
	info.size = 0;
	assert_rc(ompdx_get_runtime_info(session.handle, &info), ompd_rc_bad_input);
	assert_rc(ompdx_get_runtime_info(session.handle, NULL), ompd_rc_bad_input);
	assert_rc(ompdx_get_diagnostics(session.handle, NULL), ompd_rc_bad_input);
	session_close(&session);
}

static void test_openmp_version(void **state)
{
	struct session session = session_open("parallel");
	ompd_word_t version = 0;
	const char *text = NULL;

	(void)state;
	assert_ok(ompd_get_omp_version(session.handle, &version));
	assert_int_equal(version, 201611);
	assert_ok(ompd_get_omp_version_string(session.handle, &text));
	assert_non_null(strstr(text, "libomp"));
	assert_ok(fake_callbacks()->free_memory((void *)(uintptr_t)text));
	assert_rc(ompd_get_omp_version(session.handle, NULL), ompd_rc_bad_input);
	assert_rc(ompd_get_omp_version_string(session.handle, NULL), ompd_rc_bad_input);
	session_close(&session);
}

static void test_state_tracking(void **state)
{
	struct fake_libomp *omp = process(
		(struct fake_libomp_options){.layout = FAKE_LLVM_19, .tracks_states = true});
	ompd_address_space_handle_t *handle;
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;
	struct fake_thread *thread;

	(void)state;
	thread = fake_root(omp);
	fake_state(thread, 0x41, 0x1234);
	assert_ok(ompd_process_initialize(fake_context(fake_libomp_target(omp)), &handle));
	assert_int_equal(info_of(handle).state_tracking, 1);
	assert_ok(check_snapshot(handle, NULL, 0, &snapshot, &view));
	assert_int_equal(view->thread_count, 1);
	assert_int_equal(view->threads[0].tracked_state, 0x41);
	assert_int_equal(view->threads[0].tracked_wait_id, 0x1234);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	assert_ok(ompd_rel_address_space_handle(handle));
	fake_process_destroy(omp);
}

/* Two tables, or none: the shipped record of the version decides, if the structures in memory fit it. */
static void test_record_without_table(void **state)
{
	static const struct {
		struct fake_libomp_options options;
		const char *code;
	} cases[] = {
		{{.layout = FAKE_LLVM_14, .no_table = true}, "table_not_found"},
		{{.layout = FAKE_LLVM_19, .no_table = true}, "table_not_found"},
		{{.layout = FAKE_LLVM_19, .second_table = true}, "table_ambiguous"},
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct fake_libomp *omp = process(cases[i].options);
		struct fake_thread *root = fake_root(omp);
		ompd_address_space_handle_t *handle;
		ompd_thread_handle_t *thread = UNTOUCHED;

		assert_ok(ompd_process_initialize(fake_context(fake_libomp_target(omp)), &handle));
		assert_rc(check_thread_handle(handle, fake_libomp_target(omp), root->pthread_id,
					      &thread),
			  ompd_rc_ok);
		assert_true(noted(handle, cases[i].code));
		assert_int_equal(info_of(handle).descriptors, ompdx_descriptors_record);
		assert_ok(ompd_rel_thread_handle(thread));
		assert_ok(ompd_rel_address_space_handle(handle));
		fake_process_destroy(omp);
	}
}

/* No table, and no record that fits: there is no answer. */
static void test_no_guessing(void **state)
{
	static const struct {
		struct fake_libomp_options options;
		const char *code;
	} cases[] = {
		{{.layout = FAKE_LLVM_UNKNOWN, .second_table = true}, "table_ambiguous"},
		{{.layout = FAKE_LLVM_UNKNOWN, .no_table = true}, "table_not_found"},
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fake_libomp *omp = process(cases[i].options);
		struct fake_thread *root = fake_root(omp);
		ompd_address_space_handle_t *handle;
		ompd_thread_handle_t *thread = UNTOUCHED;

		assert_ok(ompd_process_initialize(fake_context(fake_libomp_target(omp)), &handle));
		assert_rc(check_thread_handle(handle, fake_libomp_target(omp), root->pthread_id,
					      &thread),
			  ompd_rc_unavailable);
		assert_true(noted(handle, cases[i].code));
		assert_int_equal(info_of(handle).initialized, 1);
		assert_ok(ompd_rel_address_space_handle(handle));
		fake_process_destroy(omp);
	}
}

/* ---- Several ---- */

static void test_several_address_spaces(void **state)
{
	const struct fake_machine narrow = {4, false};
	struct session first = session_open("nested_three_deep");
	struct session second = session_open("serialized_thrice");
	const struct fake_world world = {"32 bit", narrow, {.layout = FAKE_LLVM_UNKNOWN}};
	struct session third = session_open_in(&world, fake_scenario("several_roots"));
	ompd_address_space_handle_t *again;
	ompd_thread_handle_t *thread, *other;
	int order = 0;
	ompd_rc_t rc;

	(void)state;
	assert_ptr_not_equal(first.handle, second.handle);
	assert_null(check_standard(first.omp, first.handle, &rc));
	assert_ok(rc);
	assert_null(check_standard(third.omp, third.handle, &rc));
	assert_ok(rc);
	assert_null(check_standard(second.omp, second.handle, &rc));
	assert_ok(rc);
	/* The same process may be opened twice; the address spaces are two. */
	assert_ok(ompd_process_initialize(fake_context(first.target), &again));
	assert_ptr_not_equal(again, first.handle);

	/* Threads of two processes are never the same. */
	thread = thread_handle(&first, fake_omp_thread(first.omp, 0));
	other = thread_handle(&second, fake_omp_thread(second.omp, 0));
	assert_ok(ompd_thread_handle_compare(thread, other, &order));
	assert_int_not_equal(order, 0);

	/* Closing one leaves the others. */
	session_close(&first);
	assert_null(check_standard(second.omp, second.handle, &rc));
	assert_ok(rc);
	assert_rc(ompd_rel_thread_handle(thread), ompd_rc_stale_handle);
	assert_ok(ompd_rel_thread_handle(other));
	assert_ok(ompd_rel_address_space_handle(again));
	session_close(&second);
	session_close(&third);
}

/* Two copies of libomp in one process: a lookup by name finds only the first. */
static void test_two_runtimes(void **state)
{
	static const char *const paths[] = {"/opt/one/libomp.so.5", "/opt/two/libomp.so.5"};
	const struct fake_machine machine = {8, false};
	struct fake_target *target = fake_target_create(machine);
	struct fake_libomp *omps[2];
	struct fake_image images[4];
	ompdx_runtimes_t *runtimes;
	ompd_rc_t rc;

	(void)state;
	images[0] = fake_executable_load(target);
	images[1] = fake_libc_load(target);
	for (size_t i = 0; i < 2; i++) {
		omps[i] = fake_libomp_load(
			target, (struct fake_libomp_options){
					.layout = i == 0 ? FAKE_LLVM_14 : FAKE_LLVM_19,
					.path = paths[i],
					.base = UINT64_C(0x7f00c0000000) + i * UINT64_C(0x100000)});
		images[2 + i] = *fake_libomp_image(omps[i]);
	}
	fake_link_map(target, images, 4);
	fake_parallel(fake_root(omps[0]), 2);
	fake_parallel(fake_root(omps[1]), 3);

	assert_ok(ompdx_find_runtimes(fake_context(target), NULL, 0, &runtimes));
	assert_int_equal(runtimes->count, 2);
	for (size_t i = 0; i < 2; i++) {
		const ompdx_runtime_t *runtime = (const void *)((const char *)runtimes->runtimes +
								i * runtimes->runtimes->size);
		ompd_address_space_handle_t *handle;

		assert_int_equal(runtime->kind, ompdx_runtime_llvm);
		assert_int_equal(runtime->version, i == 0 ? 14 : 19);
		assert_string_equal(runtime->image.path, paths[i]);
		assert_int_equal(runtime->image.load_bias, images[2 + i].base);
		assert_ok(ompdx_process_initialize(fake_context(target), &runtime->image, &handle));
		assert_null(check_standard(omps[i], handle, &rc));
		assert_ok(rc);
		assert_ok(ompd_rel_address_space_handle(handle));
	}
	assert_ok(fake_callbacks()->free_memory(runtimes));
	fake_libomp_forget(omps[0]);
	fake_libomp_forget(omps[1]);
	fake_target_destroy(target);
}

/* The tool brings the images along: no list of the dynamic linker's is needed. */
static void test_images_from_the_tool(void **state)
{
	const struct fake_machine machine = {8, false};
	struct fake_target *target = fake_target_create(machine);
	const struct fake_image libc = fake_libc_load(target);
	struct fake_libomp *omp =
		fake_libomp_load(target, (struct fake_libomp_options){.layout = FAKE_LLVM_16});
	const struct fake_image *image = fake_libomp_image(omp);
	const ompdx_image_t images[] = {
		{sizeof(images[0]), libc.base, libc.dynamic, libc.path},
		{sizeof(images[0]), image->base, 0, NULL},
		/* There is nothing at all. */
		{sizeof(images[0]), 0x1000, 0, "/gone"},
	};
	ompd_address_space_handle_t *handle;
	ompdx_runtimes_t *runtimes;
	ompd_rc_t rc;

	(void)state;
	fake_parallel(fake_root(omp), 2);
	assert_ok(ompdx_find_runtimes(fake_context(target), images, 3, &runtimes));
	assert_int_equal(runtimes->count, 1);
	assert_int_equal(runtimes->runtimes[0].version, 16);
	assert_int_equal(runtimes->runtimes[0].image.load_bias, image->base);
	assert_null(runtimes->runtimes[0].image.path);
	assert_ok(fake_callbacks()->free_memory(runtimes));

	assert_ok(ompdx_process_initialize(fake_context(target), &images[1], &handle));
	assert_null(check_standard(omp, handle, &rc));
	assert_ok(rc);
	assert_ok(ompd_rel_address_space_handle(handle));
	assert_int_not_equal(ompdx_process_initialize(fake_context(target), &images[2], &handle),
			     ompd_rc_ok);
	fake_libomp_forget(omp);
	fake_target_destroy(target);
}

static struct fake_image load_libgomp(struct fake_target *target)
{
	static const struct fake_export exports[] = {{"GOMP_parallel_start", 0x800}};
	const struct fake_elf elf = {.path = "/lib/libgomp.so.1",
				     .base = UINT64_C(0x7f00b8000000),
				     .exports = exports,
				     .export_count = 1,
				     .text_size = 0x2000,
				     .data_size = 0x2000,
				     .soname = "libgomp.so.1"};

	return fake_elf_load(target, &elf);
}

/* Two runtimes of which the second is the one that the program uses; one libomp is not started. */
static void test_the_runtime_that_is_used(void **state)
{
	static const struct {
		bool gomp, idle_libomp;
	} others[] = {{true, false}, {false, true}, {true, true}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct fake_machine machine = {8, false};
		struct fake_target *target = fake_target_create(machine);
		const struct fake_libomp_options options = {.layout = FAKE_LLVM_19};
		struct fake_libomp *idle = NULL, *omp;
		ompd_address_space_handle_t *handle;
		struct fake_image images[5];
		size_t count = 0;
		ompd_rc_t rc;

		images[count++] = fake_executable_load(target);
		images[count++] = fake_libc_load(target);
		if (others[i].gomp)
			images[count++] = load_libgomp(target);
		if (others[i].idle_libomp) {
			struct fake_libomp_options elsewhere = options;

			elsewhere.path = "/opt/idle/libomp.so.5";
			elsewhere.base = UINT64_C(0x7f00c0000000);
			idle = fake_libomp_load(target, elsewhere);
			images[count++] = *fake_libomp_image(idle);
		}
		omp = fake_libomp_load(target, options);
		images[count++] = *fake_libomp_image(omp);
		fake_link_map(target, images, count);
		fake_parallel(fake_root(omp), 3);
		assert_ok(ompd_process_initialize(fake_context(target), &handle));
		assert_null(check_standard(omp, handle, &rc));
		assert_ok(rc);
		assert_ok(ompd_rel_address_space_handle(handle));
		if (idle)
			fake_libomp_forget(idle);
		fake_libomp_forget(omp);
		fake_target_destroy(target);
	}
}

/* Reads that fail while the runtime is looked for do not make it another one. */
static void test_never_the_wrong_runtime(void **state)
{
	static const ompd_rc_t codes[] = {ompd_rc_error, ompd_rc_stale_handle, ompd_rc_unsupported};
	const struct fake_machine machine = {8, false};
	struct fake_target *target = fake_target_create(machine);
	struct fake_image images[4];
	struct fake_libomp *omp;
	unsigned opened = 0;

	(void)state;
	images[0] = fake_executable_load(target);
	images[1] = load_libgomp(target);
	images[2] = fake_libc_load(target);
	omp = fake_libomp_load(target, (struct fake_libomp_options){.layout = FAKE_LLVM_19});
	images[3] = *fake_libomp_image(omp);
	fake_link_map(target, images, 4);
	fake_parallel(fake_root(omp), 3);
	for (size_t i = 0; i < 3; i++) {
		for (unsigned first = 1; first < 60; first++) {
			for (unsigned persistent = 0; persistent < 2; persistent++) {
				const struct fake_fault fault = {1u << FAKE_READ, first,
								 persistent != 0, codes[i]};
				ompd_address_space_handle_t *handle;
				ompdx_runtime_info_t info;

				fake_fault_plan(fault);
				if (ompd_process_initialize(fake_context(target), &handle) !=
				    ompd_rc_ok)
					continue;
				fake_fault_clear();
				info = info_of(handle);
				if (info.kind != ompdx_runtime_llvm)
					fail_msg("read %u fails with %d: another runtime", first,
						 (int)codes[i]);
				assert_int_equal(info.version, 19);
				assert_ok(ompd_rel_address_space_handle(handle));
				opened++;
			}
		}
	}
	fake_fault_clear();
	assert_true(opened > 0);
	fake_libomp_forget(omp);
	fake_target_destroy(target);
}

/* GNU libgomp is named, and of one without thread-local data nothing is made up. */
static void test_libgomp(void **state)
{
	static const struct {
		int version;
		const char *nodes[9]; /* the symbol versions that it defines */
		const char *noted;
		const char *text; /* NULL: it is not known of which GCC */
	} releases[] = {
		{4, {"libgomp.so.1", "GOMP_2.0", "GOMP_3.0", NULL}, "tls_not_found", "4"},
		{6, {"libgomp.so.1", "GOMP_4.0", "GOMP_4.5", NULL}, "tls_not_found", "6 or 7"},
		{8, {"libgomp.so.1", "GOMP_4.5", "OACC_2.0.1", NULL}, "tls_not_found", "8"},
		{9, {"libgomp.so.1", "GOMP_5.0", NULL}, "tls_not_found", "9"},
		{10, {"libgomp.so.1", "GOMP_5.0", "OACC_2.6", NULL}, "tls_not_found", "10"},
		{12,
		 {"libgomp.so.1", "GOMP_5.0", "OACC_2.6", "GOMP_5.0.1", "GOMP_5.1", NULL},
		 "tls_not_found",
		 "12"},
		{14,
		 {"libgomp.so.1", "GOMP_5.0", "OACC_2.6", "GOMP_5.0.1", "GOMP_5.1", "GOMP_5.1.1",
		  "GOMP_5.1.2", NULL},
		 "tls_not_found",
		 "14"},
		{-1, {"libgomp.so.1", "GOMP_2.0", NULL}, "version_unknown", NULL},
		{-1, {"libgomp.so.1", "GOMP_5.0", "GOMP_7.0", NULL}, "version_unknown", NULL},
		{-1, {"libomp.so.5", "GOMP_5.0", NULL}, "version_unknown", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		const struct fake_machine machine = {8, false};
		struct fake_target *target = fake_target_create(machine);
		const struct fake_export exports[] = {{"GOMP_parallel_start", 0x800},
						      {"GOMP_barrier", 0x840}};
		struct fake_elf elf = {.path = "/lib/libgomp.so.1",
				       .base = UINT64_C(0x7f00b8000000),
				       .exports = exports,
				       .export_count = 2,
				       .text_size = 0x2000,
				       .data_size = 0x2000,
				       .soname = "libgomp.so.1",
				       .versions = releases[i].nodes};
		struct fake_image images[2];
		ompd_address_space_handle_t *handle;
		ompd_thread_handle_t *thread = UNTOUCHED;
		ompdx_runtime_info_t info;
		uint64_t pthread_id;
		ompdx_snapshot_handle_t *snapshot = UNTOUCHED;
		const ompdx_view_t *view = UNTOUCHED;

		images[0] = fake_executable_load(target);
		images[1] = fake_elf_load(target, &elf);
		fake_link_map(target, images, 2);
		pthread_id = fake_native_thread(target);
		assert_ok(ompd_process_initialize(fake_context(target), &handle));
		info = info_of(handle);
		assert_int_equal(info.kind, ompdx_runtime_gomp);
		assert_int_equal(info.version, releases[i].version);
		if (releases[i].text)
			assert_string_equal(info.version_text + strlen("GNU libgomp of GCC "),
					    releases[i].text);
		assert_true(noted(handle, releases[i].noted));
		assert_rc(check_thread_handle(handle, target, pthread_id, &thread),
			  ompd_rc_unavailable);
		assert_rc(check_snapshot(handle, NULL, 0, &snapshot, &view), ompd_rc_unavailable);
		assert_ok(ompd_rel_address_space_handle(handle));
		fake_target_destroy(target);
	}
}

/* ---- What it costs ---- */

static void test_cost_of_recovery(void **state)
{
	(void)state;
	for (size_t i = 0; i < fake_world_count; i++) {
		struct fake_libomp *omp =
			fake_world_create(&fake_worlds[i], fake_scenario("nested_three_deep"));
		ompd_address_space_handle_t *handle;
		struct fake_counts opened, recovered;

		/* The table's symbols, or those of a program: looked up one by one. */
		if (fake_worlds[i].options.published ||
		    fake_worlds[i].options.linkage != FAKE_SHARED) {
			fake_process_destroy(omp);
			continue;
		}
		fake_counts_reset();
		assert_ok(ompd_process_initialize(fake_context(fake_libomp_target(omp)), &handle));
		opened = fake_counts();
		/* This needs the descriptors and the thread array. */
		assert_int_equal(info_of(handle).initialized, 1);
		recovered = fake_counts();
		print_message("%s: lookups %u, reads %u + %u, %llu bytes\n", fake_worlds[i].name,
			      recovered.calls[FAKE_LOOKUP],
			      opened.calls[FAKE_READ] + opened.calls[FAKE_READ_STRING],
			      recovered.calls[FAKE_READ] - opened.calls[FAKE_READ],
			      (unsigned long long)recovered.bytes_read);
		/* Each image once: what finds the runtime hands it on. */
		if (!fake_worlds[i].options.sysv_hash_only &&
		    fake_worlds[i].machine.pointer_size == 8)
			assert_true(opened.calls[FAKE_READ] + opened.calls[FAKE_READ_STRING] <= 30);
		assert_true(recovered.calls[FAKE_LOOKUP] <= 3);
		assert_true(recovered.calls[FAKE_READ] - opened.calls[FAKE_READ] <= 20);
		assert_true(recovered.bytes_read <= 256 * 1024);
		assert_int_equal(recovered.calls[FAKE_WRITE], 0);
		assert_ok(ompd_rel_address_space_handle(handle));
		fake_process_destroy(omp);
	}
}

/* What a record says, and what code does, holds on its own machine. */
static void test_other_machines(void **state)
{
	static const struct {
		unsigned machine;
		bool no_table;
	} cases[] = {{EM_AARCH64, false}, {EM_AARCH64, true}, {EM_RISCV, false}, {EM_RISCV, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_libomp *omp =
			process((struct fake_libomp_options){.layout = FAKE_LLVM_19,
							     .elf_machine = cases[i].machine,
							     .no_table = cases[i].no_table});
		ompd_address_space_handle_t *handle;
		ompdx_runtime_info_t info;
		ompd_icv_id_t stacksize;
		ompd_scope_t scope;
		ompd_word_t value;
		ompd_rc_t rc;

		fake_parallel(fake_root(omp), 3);
		assert_ok(ompd_process_initialize(fake_context(fake_libomp_target(omp)), &handle));
		info = info_of(handle);
		if (info.record[0])
			assert_true(cases[i].machine == EM_AARCH64 &&
				    strstr(info.record, "aarch64"));
		assert_true(info.descriptors != ompdx_descriptors_record || info.record[0]);
		stacksize = check_icv_id(handle, "stacksize-var", &scope, &rc);
		assert_ok(rc);
		/* x86-64 code that stands there is none of this machine's. */
		assert_rc(ompd_get_icv_from_scope(handle, scope, stacksize, &value),
			  ompd_rc_unavailable);
		assert_ok(ompd_rel_address_space_handle(handle));
		fake_process_destroy(omp);
	}
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_before_initialize),
		OPENED(test_arguments),
		OPENED(test_without_openmp),
		OPENED(test_before_the_program_runs),
		OPENED(test_loaded_not_started),
		OPENED(test_cost_before_the_start),
		OPENED(test_no_search_with_symbols),
		OPENED(test_runtime_info),
		OPENED(test_info_of_an_older_tool),
		OPENED(test_openmp_version),
		OPENED(test_state_tracking),
		OPENED(test_record_without_table),
		OPENED(test_no_guessing),
		OPENED(test_several_address_spaces),
		OPENED(test_two_runtimes),
		OPENED(test_images_from_the_tool),
		OPENED(test_the_runtime_that_is_used),
		OPENED(test_never_the_wrong_runtime),
		OPENED(test_libgomp),
		OPENED(test_cost_of_recovery),
		OPENED(test_other_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
