/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that lies: cycles, absurd numbers, pointers to nowhere, pages that are gone. The library ends, stays
 * inside what it was given, costs little, and says that something is wrong instead of making it up.
 */
#include <stdlib.h>
#include <string.h>

#include "api_test.h"
#include "fake_libomp_internal.h"

/* What a look at a damaged process may cost, whatever its memory says. */
#define CALLS_MAX 60000
#define BYTES_MAX (UINT64_C(32) << 20)

#define TEAM(member) FAKE_OFFSET_kmp_base_team_t__##member
#define INFO(member) FAKE_OFFSET_kmp_base_info_t__##member

/* Walks everything that the standard routines offer, without expecting anything of the answers; follows
 * at most so many enclosing regions. */
static void walk_regions(ompd_parallel_handle_t *region)
{
	for (unsigned depth = 0; region && depth < 100; depth++) {
		ompd_parallel_handle_t *enclosing = NULL;
		ompd_thread_handle_t *thread;
		ompd_task_handle_t *task;

		for (int i = -1; i < 5; i++) {
			if (ompd_get_thread_in_parallel(region, i, &thread) == ompd_rc_ok)
				assert_ok(ompd_rel_thread_handle(thread));
			if (ompd_get_task_in_parallel(region, i, &task) == ompd_rc_ok)
				assert_ok(ompd_rel_task_handle(task));
		}
		if (ompd_get_enclosing_parallel_handle(region, &enclosing) != ompd_rc_ok)
			enclosing = NULL;
		assert_ok(ompd_rel_parallel_handle(region));
		region = enclosing;
	}
	if (region)
		assert_ok(ompd_rel_parallel_handle(region));
}

static void walk(const struct session *session)
{
	for (size_t i = 0; i < fake_thread_count(session->target); i++) {
		ompd_parallel_handle_t *region;
		ompd_thread_handle_t *thread;
		ompd_task_handle_t *task;

		if (check_thread_handle(session->handle, session->target,
					fake_pthread_of(session->target, i), &thread) != ompd_rc_ok)
			continue;
		if (ompd_get_curr_parallel_handle(thread, &region) == ompd_rc_ok)
			walk_regions(region);
		if (ompd_get_curr_task_handle(thread, &task) == ompd_rc_ok) {
			if (ompd_get_task_parallel_handle(task, &region) == ompd_rc_ok)
				walk_regions(region);
			assert_ok(ompd_rel_task_handle(task));
		}
		assert_ok(ompd_rel_thread_handle(thread));
		fake_expire_thread_contexts();
	}
}

static void check_costs(void)
{
	const struct fake_counts counts = fake_counts();

	if (fake_calls(&counts) > CALLS_MAX || counts.bytes_read > BYTES_MAX)
		fail_msg("%u callbacks, %llu bytes", fake_calls(&counts),
			 (unsigned long long)counts.bytes_read);
	if (fake_violations())
		fail_msg("%s", fake_first_violation());
}

/* The other parts, which are not compared: whatever is in memory, they are found in bounds. */
static void look_at_parts(ompdx_snapshot_handle_t *snapshot)
{
	const ompdx_arrivals_t *arrivals;
	const ompdx_tasks_t *tasks;
	const ompdx_loops_t *loops;
	const ompdx_locks_t *locks;
	const ompdx_icvs_t *icvs;

	(void)ompdx_snapshot_arrivals(snapshot, &arrivals);
	(void)ompdx_snapshot_loops(snapshot, &loops);
	(void)ompdx_snapshot_icvs(snapshot, &icvs);
	(void)ompdx_snapshot_locks(snapshot, NULL, 0, &locks);
	if (ompdx_snapshot_tasks(snapshot, &tasks) != ompd_rc_ok)
		return;
	for (uint32_t i = 0; i < tasks->task_count; i++) {
		const uint32_t parent = tasks->tasks[i].parent;

		assert_true(parent == UINT32_MAX || parent < tasks->task_count);
	}
}

/* Looks at the damaged process in every way, whatever comes of it. */
static void look_at_anything(const struct session *session)
{
	size_t count;
	ompdx_native_thread_t *natives = check_natives(session->target, &count);
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;

	fake_counts_reset();
	if (check_snapshot(session->handle, natives, count, &snapshot, &view) == ompd_rc_ok) {
		assert_null(check_shape(view));
		look_at_parts(snapshot);
		assert_ok(ompdx_snapshot_destroy(snapshot));
	}
	free(natives);
	walk(session);
	check_costs();
}

/* The same, and what the view does not mark has to be true. Whoever has done the damage says how many
 * marks there must be at least. */
static void look(const struct session *session, unsigned marks_expected)
{
	size_t count;
	ompdx_native_thread_t *natives = check_natives(session->target, &count);
	const char *difference = NULL;
	unsigned problems = 0;
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;

	fake_counts_reset();
	if (check_snapshot(session->handle, natives, count, &snapshot, &view) == ompd_rc_ok) {
		difference =
			check_view(session->omp, view, CHECK_NATIVES | CHECK_DAMAGED, &problems);
		if (!difference && problems < marks_expected)
			difference = "damage is not marked";
		assert_ok(ompdx_snapshot_destroy(snapshot));
	}
	free(natives);
	check_costs();
	fake_counts_reset();
	walk(session);
	check_costs();
	if (difference)
		fail_msg("%s", difference);
}

static struct session damaged;

static struct fake_thread *thread_number(size_t gtid)
{
	return fake_omp_thread(damaged.omp, gtid);
}

/* ---- Chains ---- */

static void test_team_is_its_own_parent(void **state)
{
	uint64_t team;

	(void)state;
	damaged = session_open("parallel");
	team = thread_number(1)->region->team;
	fake_set_member(damaged.omp, team, TEAM(t_parent), team);
	look(&damaged, 1);
	session_close(&damaged);
}

static void test_cycle_of_teams(void **state)
{
	struct fake_region *inner;

	(void)state;
	damaged = session_open("nested_everywhere");
	inner = thread_number(0)->region;
	fake_set_member(damaged.omp, inner->parent->team, TEAM(t_parent), inner->team);
	look(&damaged, 1);
	session_close(&damaged);
}

/* Every parent is another new team: the memory of the target goes on for ever. */
static void test_endless_chain(void **state)
{
	enum { LENGTH = 20000, TEAM_SIZE = 2048 };
	const uint64_t base = UINT64_C(0x7e0000000000);
	struct fake_region *region;

	(void)state;
	damaged = session_open("parallel");
	region = thread_number(0)->region;
	fake_map(damaged.target, base, (uint64_t)LENGTH * TEAM_SIZE);
	for (uint64_t i = 0; i < LENGTH; i++) {
		const uint64_t team = base + i * TEAM_SIZE;

		fake_set_member(damaged.omp, team, TEAM(t_parent),
				i + 1 < LENGTH ? team + TEAM_SIZE : 0);
		fake_set_member(damaged.omp, team, TEAM(t_nproc), 1);
		fake_set_member(damaged.omp, team, TEAM(t_level), LENGTH - 1 - i);
		fake_set_member(damaged.omp, team, TEAM(t_threads),
				fake_get_member(damaged.omp, region->team, TEAM(t_threads)));
	}
	fake_set_member(damaged.omp, region->team, TEAM(t_parent), base);
	fake_set_member(damaged.omp, region->team, TEAM(t_level), LENGTH);
	look(&damaged, 1);
	session_close(&damaged);
}

/* ---- Numbers ---- */

static void test_absurd_team(void **state)
{
	static const struct {
		enum fake_table_word member;
		int64_t value;
	} cases[] = {
		{TEAM(t_nproc), 0},
		{TEAM(t_nproc), -1},
		{TEAM(t_nproc), INT32_MAX},
		{TEAM(t_nproc), INT32_MIN},
		{TEAM(t_nproc), 1000000},
		{TEAM(t_level), -1},
		{TEAM(t_level), INT32_MAX},
		{TEAM(t_level), INT32_MIN},
		{TEAM(t_level), 1000000},
		{TEAM(t_active_level), -1},
		{TEAM(t_active_level), 77},
		{TEAM(t_active_level), INT32_MAX},
		{TEAM(t_master_tid), -1},
		{TEAM(t_master_tid), 5},
		{TEAM(t_master_tid), INT32_MAX},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		damaged = session_open("nested_three_deep");
		/* The outermost parallel region, around the others. */
		fake_set_member(damaged.omp, thread_number(0)->region->team, cases[i].member,
				(uint64_t)cases[i].value);
		print_message("%s = %lld\n", fake_table_name(cases[i].member),
			      (long long)cases[i].value);
		look(&damaged, 1);
		session_close(&damaged);
	}
}

/* So many nested serialized regions cannot be: there are at most as many as the stack holds. */
static void test_absurd_serialized_team(void **state)
{
	static const int64_t levels[] = {INT32_MAX, 100000000, 70000, -1, INT32_MIN};

	(void)state;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		damaged = session_open("serialized_thrice");
		fake_set_member(damaged.omp, thread_number(0)->region->team, TEAM(t_level),
				(uint64_t)levels[i]);
		look(&damaged, 1);
		session_close(&damaged);
	}
}

/* More regions than any program has: what there is room for is shown, and who is in the others is marked. */
static void test_more_regions_than_fit(void **state)
{
	enum { ROOTS = 18, NESTED = 65536, REGIONS_MAX = 1024 * 1024 };
	static const struct fake_world world = {
		"stripped 19", {8, false}, {.layout = FAKE_LLVM_19, .capacity = 128}};
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;
	unsigned marked = 0, shown = 0;

	(void)state;
	damaged = session_open_in(&world, fake_scenario("sequential"));
	for (int i = 0; i < ROOTS; i++) {
		const struct fake_region *region = fake_serialized(fake_root(damaged.omp));

		fake_set_member(damaged.omp, region->team, TEAM(t_level), NESTED);
		fake_put(damaged.target, region->team + FAKE_T_SERIALIZED, 4, NESTED);
	}
	assert_ok(check_snapshot(damaged.handle, NULL, 0, &snapshot, &view));
	assert_null(check_shape(view));
	assert_int_equal(view->region_count, REGIONS_MAX);
	assert_int_equal(view->problem, ompdx_problem_limit);
	for (uint32_t i = 0; i < view->thread_count; i++) {
		marked += view->threads[i].problem == ompdx_problem_limit;
		shown += view->threads[i].level_count > NESTED / 2;
	}
	assert_true(marked > 0 && shown > 10);
	assert_int_equal(marked + shown, ROOTS);
	session_close(&damaged);
}

/* More text than any program has, of the constructs for which threads call the runtime. */
static void test_more_text_than_fits(void **state)
{
	enum { THREADS = 8600, LENGTH = 2000, TEXT_MAX = 16 * 1024 * 1024 };
	/* ident_t, its psource, and a thread's th_ident in libomp 19. */
	enum { IDENT = 24, PSOURCE = 16, TH_IDENT = 552 };
	static const struct fake_world world = {
		"stripped 19", {8, false}, {.layout = FAKE_LLVM_19, .capacity = 16384}};
	const uint64_t text = UINT64_C(0x7d0000000000), idents = text + LENGTH;
	char source[LENGTH] = ";long.c;";
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;
	unsigned told = 0;

	(void)state;
	damaged = session_open_in(&world, fake_scenario("sequential"));
	fake_parallel(fake_omp_thread(damaged.omp, 0), THREADS);
	fake_map(damaged.target, text, LENGTH + THREADS * IDENT);
	memset(source + strlen(source), 'x', LENGTH - 1 - strlen(source));
	fake_put_string(damaged.target, text, source);
	for (size_t i = 0; i < THREADS; i++) {
		fake_put(damaged.target, idents + i * IDENT + PSOURCE, 8, text);
		fake_put(damaged.target, fake_omp_thread(damaged.omp, i)->address + TH_IDENT, 8,
			 idents + i * IDENT);
	}
	assert_ok(check_snapshot(damaged.handle, NULL, 0, &snapshot, &view));
	assert_null(check_shape(view));
	assert_int_equal(view->thread_count, THREADS);
	for (uint32_t i = 0; i < view->thread_count; i++)
		told += view->threads[i].ident_source != NULL;
	assert_in_range(told, TEXT_MAX / LENGTH - 1, TEXT_MAX / LENGTH);
	session_close(&damaged);
}

static void test_absurd_thread(void **state)
{
	static const int64_t tids[] = {-1, 4, 77, INT32_MAX, INT32_MIN};

	(void)state;
	for (size_t i = 0; i < sizeof(tids) / sizeof(tids[0]); i++) {
		damaged = session_open("parallel");
		fake_set_member(damaged.omp, thread_number(2)->address,
				FAKE_OFFSET_kmp_desc_base_t__ds_tid, (uint64_t)tids[i]);
		look_at_anything(&damaged);
		session_close(&damaged);
	}
}

/* ---- Pointers ---- */

static const uint64_t nowhere[] = {0,
				   1,
				   7,
				   0x10,
				   0xdeadbeef,
				   UINT64_C(0x7fffffffffff),
				   UINT64_C(0x8000000000000000),
				   UINT64_MAX - 7,
				   UINT64_MAX};

#define NOWHERE (sizeof(nowhere) / sizeof(nowhere[0]))

/* telling: the pointer decides who is in which region, so that a wrong one makes another truth. */
static void damage_pointer(uint64_t structure, enum fake_table_word member, bool telling)
{
	const uint64_t before = fake_get_member(damaged.omp, structure, member);

	for (size_t i = 0; i < NOWHERE; i++) {
		fake_set_member(damaged.omp, structure, member, nowhere[i]);
		if (telling || nowhere[i] == 0)
			look_at_anything(&damaged);
		else
			look(&damaged, 0);
	}
	fake_set_member(damaged.omp, structure, member, before);
}

static void test_pointers_to_nowhere(void **state)
{
	struct fake_thread *thread;

	(void)state;
	damaged = session_open("parallel_in_task");
	thread = thread_number(1);
	damage_pointer(thread->region->team, TEAM(t_parent), true);
	damage_pointer(thread->region->team, TEAM(t_threads), true);
	damage_pointer(thread->region->team, TEAM(t_pkfn), true);
	damage_pointer(thread->region->team, TEAM(t_implicit_task_taskdata), false);
	damage_pointer(thread->address, INFO(th_team), true);
	damage_pointer(thread->address, INFO(th_current_task), false);
	damage_pointer(thread->task, FAKE_OFFSET_kmp_taskdata_t__td_team, false);
	damage_pointer(thread->task, FAKE_OFFSET_kmp_taskdata_t__td_parent, false);
	session_close(&damaged);
}

/* ---- Pages that are not there ---- */

static void test_hidden_structures(void **state)
{
	(void)state;
	damaged = session_open("nested_three_deep");
	for (size_t i = 0; i < fake_omp_thread_count(damaged.omp); i++) {
		fake_hide(damaged.target, thread_number(i)->address, 64);
		look(&damaged, 1);
		fake_unhide_all(damaged.target);
	}
	for (const struct fake_region *region = fake_regions(damaged.omp); region;
	     region = region->next) {
		fake_hide(damaged.target, region->team + 512, 64);
		look(&damaged, 1);
		fake_unhide_all(damaged.target);
	}
	for (size_t i = 0; i < fake_omp_thread_count(damaged.omp); i++) {
		fake_hide(damaged.target, thread_number(i)->task, 64);
		look(&damaged, 0);
		fake_unhide_all(damaged.target);
	}
	look(&damaged, 0);
	session_close(&damaged);
}

/* A thread whose structure is gone: whether it is OpenMP's is not known, and not denied. */
static void test_hidden_thread_is_not_denied(void **state)
{
	ompd_thread_handle_t *thread = UNTOUCHED;
	ompd_rc_t rc;

	(void)state;
	damaged = session_open("parallel");
	fake_hide(damaged.target, thread_number(2)->address, 2048);
	rc = check_thread_handle(damaged.handle, damaged.target, thread_number(2)->pthread_id,
				 &thread);
	assert_int_not_equal(rc, ompd_rc_ok);
	assert_int_not_equal(rc, ompd_rc_unavailable);
	assert_ptr_equal(thread, UNTOUCHED);
	session_close(&damaged);
}

/* The thread array, the heap, the runtime's data, each gone in turn. */
static void test_hidden_regions_of_memory(void **state)
{
	const struct {
		const char *scenario;
		int what;
	} cases[] = {{"parallel", 0}, {"parallel", 1}, {"parallel", 2}, {"parallel", 3}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct fake_image *image;
		ompd_address_space_handle_t *handle;
		ompdx_snapshot_handle_t *snapshot;
		const ompdx_view_t *view;
		ompd_rc_t rc;

		damaged = session_open(cases[i].scenario);
		image = fake_libomp_image(damaged.omp);
		if (cases[i].what == 0)
			fake_hide(damaged.target, fake_threads_array(damaged.omp) - 64, 4096);
		else if (cases[i].what == 1)
			fake_hide(damaged.target, image->data, image->data_end - image->data);
		else if (cases[i].what == 2)
			fake_hide(damaged.target, image->base, image->end - image->base);
		else
			fake_hide(damaged.target, 0, UINT64_MAX);
		fake_counts_reset();
		rc = ompd_process_initialize(fake_context(damaged.target), &handle);
		if (rc == ompd_rc_ok) {
			assert_int_not_equal(check_snapshot(handle, NULL, 0, &snapshot, &view),
					     ompd_rc_ok);
			assert_ok(ompd_rel_address_space_handle(handle));
		}
		/* The address space that was open before. */
		assert_int_not_equal(check_snapshot(damaged.handle, NULL, 0, &snapshot, &view),
				     ompd_rc_ok);
		walk(&damaged);
		check_costs();
		fake_unhide_all(damaged.target);
		look(&damaged, 0);
		session_close(&damaged);
	}
}

/* ---- Descriptors ---- */

/* Each word of the table in turn is absurd, before anybody looks. */
static void test_absurd_table(void **state)
{
	static const uint64_t values[] = {0, 1, 0xffff, 0x10000, UINT32_MAX, UINT64_MAX};
	const struct fake_machine machine = {8, false};

	(void)state;
	for (unsigned published = 0; published < 2; published++) {
		struct fake_libomp *omp = fake_process_create(
			machine, (struct fake_libomp_options){.layout = FAKE_LLVM_19,
							      .published = published != 0});

		fake_scenario("nested_three_deep")->run(omp);
		damaged.omp = omp;
		damaged.target = fake_libomp_target(omp);
		for (enum fake_table_word word = 0; word < FAKE_TABLE_WORDS; word++) {
			const uint64_t address = fake_table_address(omp, word);

			for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
				fake_put(damaged.target, address, 8, values[v]);
				assert_ok(ompd_process_initialize(fake_context(damaged.target),
								  &damaged.handle));
				look_at_anything(&damaged);
				assert_ok(ompd_rel_address_space_handle(damaged.handle));
			}
			fake_put(damaged.target, address, 8, fake_table_value(omp, word));
		}
		fake_process_destroy(omp);
	}
}

/* The block of the thread array says that it is longer than any memory. */
static void test_absurd_capacity(void **state)
{
	static const uint64_t sizes[] = {0, 1, 64, 80, UINT32_MAX, UINT64_MAX / 2, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ompd_address_space_handle_t *handle;
		ompdx_snapshot_handle_t *snapshot;
		const ompdx_view_t *view;
		uint64_t descriptor;

		damaged = session_open("parallel");
		descriptor = fake_threads_array(damaged.omp) - 32;
		fake_put(damaged.target, descriptor + 24, 8, sizes[i]);
		fake_counts_reset();
		assert_ok(ompd_process_initialize(fake_context(damaged.target), &handle));
		if (check_snapshot(handle, NULL, 0, &snapshot, &view) == ompd_rc_ok)
			assert_ok(ompdx_snapshot_destroy(snapshot));
		walk(&damaged);
		check_costs();
		fake_put(damaged.target, descriptor + 8, 8, sizes[i]);
		if (check_snapshot(handle, NULL, 0, &snapshot, &view) == ompd_rc_ok)
			assert_ok(ompdx_snapshot_destroy(snapshot));
		check_costs();
		assert_ok(ompd_rel_address_space_handle(handle));
		session_close(&damaged);
	}
}

/* ---- ELF and the dynamic linker's list ---- */

static void damage_link_map(uint64_t offset, uint64_t value)
{
	const struct fake_machine machine = {8, false};
	struct fake_target *target = fake_target_create(machine);
	struct fake_image images[3];
	struct fake_libomp *omp;
	uint64_t entries;
	ompd_address_space_handle_t *handle;
	ompdx_runtimes_t *runtimes;
	ompdx_images_t *listed;

	images[0] = fake_executable_load(target);
	images[1] = fake_libc_load(target);
	omp = fake_libomp_load(target, (struct fake_libomp_options){.layout = FAKE_LLVM_19});
	images[2] = *fake_libomp_image(omp);
	entries = fake_link_map(target, images, 3);
	fake_root(omp);
	/* In the second entry, before libomp's. */
	fake_put(target, entries + FAKE_LINK_MAP_STRIDE + offset, 8, value);
	fake_counts_reset();
	if (ompd_process_initialize(fake_context(target), &handle) == ompd_rc_ok)
		assert_ok(ompd_rel_address_space_handle(handle));
	if (ompdx_find_runtimes(fake_context(target), NULL, 0, &runtimes) == ompd_rc_ok) {
		assert_true(runtimes->count <= 1);
		assert_ok(fake_callbacks()->free_memory(runtimes));
	}
	if (ompdx_images(fake_context(target), NULL, &listed) == ompd_rc_ok) {
		assert_true(listed->count >= 1 && listed->count <= 3);
		assert_ok(fake_callbacks()->free_memory(listed));
	}
	check_costs();
	fake_libomp_forget(omp);
	fake_target_destroy(target);
}

static void test_damaged_link_map(void **state)
{
	(void)state;
	for (uint64_t member = 0; member < 5; member++) {
		for (size_t i = 0; i < NOWHERE; i++)
			damage_link_map(member * 8, nowhere[i]);
	}
}

static void test_cyclic_link_map(void **state)
{
	const struct fake_machine machine = {8, false};
	struct fake_target *target = fake_target_create(machine);
	struct fake_image image = fake_executable_load(target);
	const uint64_t entry = fake_link_map(target, &image, 1);
	ompd_address_space_handle_t *handle = UNTOUCHED;

	(void)state;
	fake_put(target, entry + 24, 8, entry);
	fake_counts_reset();
	assert_int_not_equal(ompd_process_initialize(fake_context(target), &handle), ompd_rc_ok);
	assert_ptr_equal(handle, UNTOUCHED);
	check_costs();
	fake_target_destroy(target);
}

/* The same behind a runtime, which is found once: each turn would find it again. */
static void test_cycle_behind_a_runtime(void **state)
{
	static const size_t back[] = {0, 1, 2};
	const struct fake_machine machine = {8, false};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct fake_target *target = fake_target_create(machine);
		struct fake_image images[3];
		struct fake_libomp *omp;
		ompdx_runtimes_t *runtimes;
		uint64_t entries;

		images[0] = fake_executable_load(target);
		images[1] = fake_libc_load(target);
		omp = fake_libomp_load(target,
				       (struct fake_libomp_options){.layout = FAKE_LLVM_19});
		images[2] = *fake_libomp_image(omp);
		entries = fake_link_map(target, images, 3);
		fake_put(target, entries + 2 * FAKE_LINK_MAP_STRIDE + 24, 8,
			 entries + (2 - back[i]) * FAKE_LINK_MAP_STRIDE);
		fake_counts_reset();
		assert_ok(ompdx_find_runtimes(fake_context(target), NULL, 0, &runtimes));
		assert_int_equal(runtimes->count, 1);
		assert_ok(fake_callbacks()->free_memory(runtimes));
		assert_true(fake_counts().calls[FAKE_READ] < 400);
		fake_libomp_forget(omp);
		fake_target_destroy(target);
	}
}

/* Bytes of the image's headers and tables, each turned over in turn. */
static void test_damaged_image(void **state)
{
	static const uint8_t flips[] = {0xff, 0x01, 0x80};
	const struct fake_machine machine = {8, false};
	struct fake_libomp *omp =
		fake_process_create(machine, (struct fake_libomp_options){.layout = FAKE_LLVM_19});
	struct fake_target *target = fake_libomp_target(omp);
	const struct fake_image *image = fake_libomp_image(omp);
	const struct {
		uint64_t start, end;
	} ranges[] = {
		/* ELF header, program headers, build-id. */
		{image->base, image->base + 0x160},
		{image->dynamic, image->dynamic + 0x100},
		/* Symbols and hash tables. */
		{image->base + 0xa00, image->base + 0x1000},
	};

	(void)state;
	fake_scenario("parallel")->run(omp);
	for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++) {
		for (uint64_t at = ranges[r].start; at < ranges[r].end; at += one_in()) {
			for (size_t f = 0; f < sizeof(flips); f++) {
				const uint64_t byte = fake_get(target, at, 1);
				ompd_address_space_handle_t *handle;
				ompdx_snapshot_handle_t *snapshot;
				const ompdx_view_t *view;

				fake_put(target, at, 1, byte ^ flips[f]);
				fake_counts_reset();
				if (ompd_process_initialize(fake_context(target), &handle) ==
				    ompd_rc_ok) {
					if (check_snapshot(handle, NULL, 0, &snapshot, &view) ==
					    ompd_rc_ok)
						assert_ok(ompdx_snapshot_destroy(snapshot));
					assert_ok(ompd_rel_address_space_handle(handle));
				}
				check_costs();
				fake_put(target, at, 1, byte);
			}
		}
	}
	fake_process_destroy(omp);
}

/* ---- Everything at once ---- */

/* A small generator of its own, so that a failure can be repeated anywhere. */
static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Words of the structures replaced at random, by random numbers and by addresses of other structures. */
static void test_random_damage(void **state)
{
	const unsigned rounds = 3000 / one_in();

	(void)state;
	for (uint32_t round = 0; round < rounds; round++) {
		const struct fake_scenario *scenario = &fake_scenarios[round % fake_scenario_count];
		uint32_t seed = round + 1;

		damaged = session_open(scenario->name);
		for (unsigned i = 0; i < 6; i++) {
			const size_t victim =
				next_random(&seed) % fake_omp_thread_count(damaged.omp);
			const struct fake_thread *thread = thread_number(victim);
			const bool team = thread->region && next_random(&seed) % 2;
			const uint64_t structure = team ? thread->region->team : thread->address;
			const uint64_t offset = next_random(&seed) % (team ? 1024 : 640) / 4 * 4;
			const uint64_t other = thread_number(next_random(&seed) %
							     fake_omp_thread_count(damaged.omp))
						       ->address;

			switch (next_random(&seed) % 4) {
			case 0:
				fake_put(damaged.target, structure + offset, 4,
					 next_random(&seed) % 8);
				break;
			case 1:
				fake_put(damaged.target, structure + offset, 4, next_random(&seed));
				break;
			case 2:
				fake_put(damaged.target, structure + offset / 8 * 8, 8, structure);
				break;
			default:
				fake_put(damaged.target, structure + offset / 8 * 8, 8, other);
				break;
			}
		}
		look_at_anything(&damaged);
		session_close(&damaged);
	}
}

/* A task that says that it belongs to no team, to another's, to what is none, to a team of teams: no handle is made
 * of nothing, and whatever comes of it is bounded. */
static void test_damaged_td_team(void **state)
{
	static const char *const scenarios[] = {"parallel", "tasks", "teams", "serialized_thrice"};

	(void)state;
	for (size_t s = 0; s < sizeof(scenarios) / sizeof(scenarios[0]); s++) {
		for (unsigned kind = 0; kind < 6; kind++) {
			ompd_parallel_handle_t *region = UNTOUCHED;
			ompd_task_handle_t *task, *generating;
			struct fake_thread *thread;
			uint64_t team;
			ompd_rc_t rc;

			damaged = session_open(scenarios[s]);
			thread = thread_number(fake_omp_thread_count(damaged.omp) - 1);
			if (!thread->region)
				thread = thread_number(0);
			task = task_handle(&damaged, thread);
			team = (const uint64_t[]){0,
						  8,
						  thread->address,
						  thread->task,
						  UINT64_MAX - 7,
						  thread_number(0)->region->team}[kind];
			fake_set_member(damaged.omp, thread->task,
					FAKE_OFFSET_kmp_taskdata_t__td_team, team);
			rc = ompd_get_task_parallel_handle(task, &region);
			if (kind == 0)
				assert_int_not_equal(rc, ompd_rc_ok);
			if (rc == ompd_rc_ok)
				assert_ok(ompd_rel_parallel_handle(region));
			else
				assert_ptr_equal(region, UNTOUCHED);
			if (ompd_get_generating_task_handle(task, &generating) == ompd_rc_ok)
				assert_ok(ompd_rel_task_handle(generating));
			assert_ok(ompd_rel_task_handle(task));
			look_at_anything(&damaged);
			session_close(&damaged);
		}
	}
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_team_is_its_own_parent),
		OPENED(test_cycle_of_teams),
		OPENED(test_endless_chain),
		OPENED(test_absurd_team),
		OPENED(test_absurd_serialized_team),
		OPENED(test_more_regions_than_fit),
		OPENED(test_more_text_than_fits),
		OPENED(test_absurd_thread),
		OPENED(test_pointers_to_nowhere),
		OPENED(test_hidden_structures),
		OPENED(test_hidden_thread_is_not_denied),
		OPENED(test_hidden_regions_of_memory),
		OPENED(test_absurd_table),
		OPENED(test_absurd_capacity),
		OPENED(test_damaged_link_map),
		OPENED(test_cyclic_link_map),
		OPENED(test_cycle_behind_a_runtime),
		OPENED(test_damaged_image),
		OPENED(test_random_damage),
		OPENED(test_damaged_td_team),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
