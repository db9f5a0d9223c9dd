/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of ICVs (41.11), as numbers and as text: those that tasks have, those of the process, in runtimes
 * with and without symbols.
 */
#include <elf.h>
#include <string.h>

#include "api_test.h"
#include "fake_variables.h"

/* A program whose thread 1 of two is looked at. */
struct look {
	struct session session;
	struct fake_thread *truth;
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *region;
	ompd_task_handle_t *task;
};

static struct look look_at(struct fake_libomp_options options, const char *scenario)
{
	const struct fake_world world = {"", {8, false}, options};
	struct look look = {.session = session_open_in(&world, fake_scenario(scenario))};

	look.truth = fake_omp_thread(look.session.omp, 1);
	look.thread = thread_handle(&look.session, look.truth);
	look.region = region_handle(&look.session, look.truth);
	look.task = task_handle(&look.session, look.truth);
	return look;
}

static void *handle_for(const struct look *look, ompd_scope_t scope)
{
	switch (scope) {
	case ompd_scope_thread:
		return look->thread;
	case ompd_scope_parallel:
		return look->region;
	case ompd_scope_task:
		return look->task;
	default:
		return look->session.handle;
	}
}

static ompd_rc_t number_of(const struct look *look, const char *name, ompd_word_t *value)
{
	ompd_scope_t scope;
	ompd_rc_t rc;
	const ompd_icv_id_t id = check_icv_id(look->session.handle, name, &scope, &rc);

	assert_ok(rc);
	assert_int_not_equal(id, ompd_icv_undefined);
	*value = 77;
	return ompd_get_icv_from_scope(handle_for(look, scope), scope, id, value);
}

static ompd_rc_t text_of(const struct look *look, const char *name, char *text, size_t size)
{
	const char *found = UNTOUCHED;
	ompd_scope_t scope;
	ompd_rc_t rc;
	const ompd_icv_id_t id = check_icv_id(look->session.handle, name, &scope, &rc);

	assert_ok(rc);
	assert_int_not_equal(id, ompd_icv_undefined);
	rc = ompd_get_icv_string_from_scope(handle_for(look, scope), scope, id, &found);
	if (rc == ompd_rc_ok) {
		assert_true(strlen(found) < size);
		strcpy(text, found);
		assert_ok(fake_callbacks()->free_memory((void *)(uintptr_t)found));
	} else {
		assert_ptr_equal(found, UNTOUCHED);
	}
	return rc;
}

#define assert_number(look, name, expected)                                                        \
	do {                                                                                       \
		ompd_word_t value_;                                                                \
		assert_ok(number_of(look, name, &value_));                                         \
		assert_int_equal(value_, expected);                                                \
	} while (0)
#define assert_first(look, name, expected)                                                         \
	do {                                                                                       \
		ompd_word_t value_;                                                                \
		assert_rc(number_of(look, name, &value_), ompd_rc_incomplete);                     \
		assert_int_equal(value_, expected);                                                \
	} while (0)
#define assert_no_number(look, name, expected)                                                     \
	do {                                                                                       \
		ompd_word_t value_;                                                                \
		assert_rc(number_of(look, name, &value_), expected);                               \
		assert_int_equal(value_, 77);                                                      \
	} while (0)
#define assert_text(look, name, expected)                                                          \
	do {                                                                                       \
		char text_[512];                                                                   \
		assert_ok(text_of(look, name, text_, sizeof(text_)));                              \
		assert_string_equal(text_, expected);                                              \
	} while (0)
#define assert_no_text(look, name, expected)                                                       \
	do {                                                                                       \
		char text_[512];                                                                   \
		assert_rc(text_of(look, name, text_, sizeof(text_)), expected);                    \
	} while (0)

static void set_icv(const struct look *look, enum fake_table_word member, uint64_t value)
{
	const uint64_t icvs =
		look->truth->task +
		fake_table_value(look->session.omp, FAKE_OFFSET_kmp_taskdata_t__td_icvs);

	fake_set_member(look->session.omp, icvs, member, value);
}

static void set_schedule(const struct look *look, uint32_t kind, int chunk)
{
	const struct fake_libomp *omp = look->session.omp;
	const uint64_t sched = look->truth->task +
			       fake_table_value(omp, FAKE_OFFSET_kmp_taskdata_t__td_icvs) +
			       fake_table_value(omp, FAKE_OFFSET_kmp_internal_control_t__sched);

	fake_set_member(look->session.omp, sched, FAKE_OFFSET_kmp_r_sched_t__r_sched_type, kind);
	fake_set_member(look->session.omp, sched, FAKE_OFFSET_kmp_r_sched_t__chunk,
			(uint64_t)(int64_t)chunk);
}

static const struct fake_libomp_options stripped = {.layout = FAKE_LLVM_19};
static const struct fake_libomp_options published = {.layout = FAKE_LLVM_19, .published = true};

static void test_of_task(void **state)
{
	struct look look = look_at(stripped, "parallel");

	(void)state;
	assert_number(&look, "dyn-var", 0);
	assert_text(&look, "dyn-var", "false");
	set_icv(&look, FAKE_OFFSET_kmp_internal_control_t__dynamic, 1);
	assert_text(&look, "dyn-var", "true");
	set_icv(&look, FAKE_OFFSET_kmp_internal_control_t__default_device, 3);
	assert_number(&look, "default-device-var", 3);
	set_icv(&look, FAKE_OFFSET_kmp_internal_control_t__max_active_levels, 9);
	assert_text(&look, "max-active-levels-var", "9");
	set_icv(&look, FAKE_OFFSET_kmp_internal_control_t__thread_limit, 64);
	assert_number(&look, "thread-limit-var", 64);
	/* A target construct's limit goes first; 19 has it. */
	fake_put(look.session.target, look.truth->task + 64 + 20, 4, 5);
	assert_number(&look, "thread-limit-var", 5);
	assert_number(&look, "final-task-var", 0);
	assert_text(&look, "explicit-task-var", "false");
	session_close(&look.session);
}

static void test_of_explicit_task(void **state)
{
	struct look look = look_at(stripped, "tasks");

	(void)state;
	assert_number(&look, "explicit-task-var", look.truth->task_kind == ompdx_task_explicit);
	assert_number(&look, "final-task-var", look.truth->task_final);
	session_close(&look.session);
}

static void test_schedules(void **state)
{
	static const struct {
		uint32_t kind;
		int chunk;
		const char *text;
	} cases[] = {
		{34, 1, "static"},
		{33, 8, "static,8"},
		{35, 4, "dynamic,4"},
		{36, 7, "guided,7"},
		{38, 1, "auto"},
		{39, 2, "trapezoidal,2"},
		{40, 1, "static"},
		{41, 1, "static"},
		{42, 3, "guided,3"},
		{43, 3, "guided,3"},
		{44, 6, "static_steal,6"},
		{35 | 1u << 29, 4, "monotonic:dynamic,4"},
		{36 | 1u << 30, 2, "nonmonotonic:guided,2"},
		{35, 0, "dynamic"},
	};
	struct look look = look_at(stripped, "parallel");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_schedule(&look, cases[i].kind, cases[i].chunk);
		assert_text(&look, "run-sched-var", cases[i].text);
		assert_no_number(&look, "run-sched-var", ompd_rc_incompatible);
	}
	set_schedule(&look, 4711, 1);
	assert_no_text(&look, "run-sched-var", ompd_rc_error);
	session_close(&look.session);
}

/* Tools of 5.0 were written for LLVM's library: numbers for binding, always a chunk. */
static void test_text_of_5_0(void **state)
{
	struct look look;

	(void)state;
	library_open_as(OPENMP_5_0);
	look = look_at(stripped, "parallel");
	set_schedule(&look, 34, 1);
	assert_text(&look, "run-sched-var", "static,0");
	set_icv(&look, FAKE_OFFSET_kmp_internal_control_t__proc_bind, 4);
	assert_text(&look, "bind-var", "4");
	session_close(&look.session);
	library_close_clean();
}

/* What follows the item of the task's level; the region is at level 1. */
static void test_lists(void **state)
{
	static const int threads[] = {8, 4, 3, 2}, bind[] = {4, 3};
	struct look look = look_at(stripped, "parallel");
	struct fake_libomp *omp = look.session.omp;
	const uint64_t nth = fake_variable(omp, FAKE_VARIABLE___kmp_nested_nth);
	const uint64_t list = fake_allocate_block(omp, 16);

	(void)state;
	set_icv(&look, FAKE_OFFSET_kmp_internal_control_t__nproc, 4);
	assert_number(&look, "nthreads-var", 4);
	assert_text(&look, "nthreads-var", "4");
	fake_set_list(omp, nth, threads, 4);
	assert_first(&look, "nthreads-var", 4);
	assert_text(&look, "nthreads-var", "4,3,2");
	fake_set_list(omp, nth, threads, 2);
	assert_number(&look, "nthreads-var", 4);
	fake_set_list(omp, fake_variable(omp, FAKE_VARIABLE___kmp_nested_proc_bind), bind, 2);
	set_icv(&look, FAKE_OFFSET_kmp_internal_control_t__proc_bind, 3);
	assert_text(&look, "bind-var", "close");
	set_icv(&look, FAKE_OFFSET_kmp_internal_control_t__proc_bind, 6);
	assert_text(&look, "bind-var", "6");
	/* A num_threads clause with a list: 19 keeps it with the team. */
	fake_set_list(omp, list, threads, 4);
	fake_put(look.session.target, look.truth->region->team + 2024, 8, list);
	assert_text(&look, "nthreads-var", "4,3,2");
	/* A list that cannot be. */
	fake_put(look.session.target, look.truth->region->team + 2024, 8, 0);
	fake_set_member(omp, nth, FAKE_OFFSET_kmp_nested_nthreads_t__used, 1 << 24);
	assert_no_number(&look, "nthreads-var", ompd_rc_error);
	fake_set_member(omp, nth, FAKE_OFFSET_kmp_nested_nthreads_t__used, 4);
	fake_set_member(omp, nth, FAKE_OFFSET_kmp_nested_nthreads_t__nth, 16);
	assert_no_text(&look, "nthreads-var", ompd_rc_error);
	session_close(&look.session);
}

/* Without the variable nobody knows whether there is a second item. */
static void test_list_unknown(void **state)
{
	static const struct fake_libomp_options other = {.layout = FAKE_LLVM_14};
	struct look look = look_at(other, "parallel");

	(void)state;
	set_icv(&look, FAKE_OFFSET_kmp_internal_control_t__nproc, 4);
	assert_first(&look, "nthreads-var", 4);
	assert_no_text(&look, "nthreads-var", ompd_rc_unavailable);
	session_close(&look.session);
}

static void test_of_thread(void **state)
{
	struct look look = look_at(stripped, "parallel");
	const uint64_t info = look.truth->address;

	(void)state;
	assert_number(&look, "thread-num-var", look.truth->thread_num);
	fake_put(look.session.target, info + 208, 8, 1);
	assert_number(&look, "def-allocator-var", 1);
	assert_text(&look, "def-allocator-var", "omp_default_mem_alloc");
	fake_put(look.session.target, info + 208, 8, 0x7f1200);
	assert_text(&look, "def-allocator-var", "0x7f1200");
	/* first and last place */
	fake_put(look.session.target, info + 340, 4, 2);
	fake_put(look.session.target, info + 344, 4, 4);
	assert_first(&look, "place-partition-var", 2);
	assert_text(&look, "place-partition-var", "2,3,4");
	fake_put(look.session.target, info + 344, 4, 1);
	assert_first(&look, "place-partition-var", 2);
	assert_no_text(&look, "place-partition-var", ompd_rc_unavailable);
	fake_put(look.session.target, info + 340, 4, (uint32_t)-1);
	assert_no_number(&look, "place-partition-var", ompd_rc_unavailable);
	fake_put(look.session.target, info + 340, 4, 0);
	fake_put(look.session.target, info + 344, 4, 1 << 24);
	assert_no_number(&look, "place-partition-var", ompd_rc_error);
	session_close(&look.session);
}

static void test_of_region(void **state)
{
	struct look look = look_at(stripped, "parallel");

	(void)state;
	assert_number(&look, "team-size-var", look.truth->region->team_size);
	assert_number(&look, "levels-var", look.truth->region->level);
	assert_number(&look, "active-levels-var", look.truth->region->active_level);
	assert_number(&look, "league-size-var", 1);
	assert_number(&look, "team-num-var", 0);
	assert_text(&look, "team-generator-var", "parallel");
	session_close(&look.session);
}

static void set_process(struct fake_libomp *omp)
{
	fake_set_variable(omp, FAKE_VARIABLE___kmp_stksize, 4 << 20);
	fake_set_variable(omp, FAKE_VARIABLE___kmp_omp_cancellation, 1);
	fake_set_variable(omp, FAKE_VARIABLE___kmp_max_task_priority, 9);
	fake_set_variable(omp, FAKE_VARIABLE___kmp_library, 2);
	fake_set_variable(omp, FAKE_VARIABLE___kmp_target_offload, 2);
	fake_set_variable(omp, FAKE_VARIABLE___kmp_nteams, 5);
	fake_set_variable(omp, FAKE_VARIABLE___kmp_teams_thread_limit, 6);
	fake_set_variable(omp, FAKE_VARIABLE___kmp_avail_proc, 12);
	fake_set_variable(omp, FAKE_VARIABLE___kmp_display_affinity, 1);
	fake_set_variable(omp, FAKE_VARIABLE___kmp_tool, 1);
	fake_set_text(omp, FAKE_VARIABLE___kmp_affinity_format, "bound to {%A}");
	fake_set_text(omp, FAKE_VARIABLE___kmp_tool_libraries, "/opt/tool.so");
}

/* What getters tell, in every shape of their code that is known. */
static void check_getters(const struct look *look)
{
	assert_number(look, "stacksize-var", 4 << 20);
	assert_text(look, "stacksize-var", "4194304");
	assert_text(look, "cancel-var", "true");
	assert_number(look, "max-task-priority-var", 9);
	assert_number(look, "wait-policy-var", 1);
	assert_text(look, "wait-policy-var", "active");
	assert_text(look, "target-offload-var", "mandatory");
	assert_number(look, "nteams-var", 5);
	assert_number(look, "teams-thread-limit-var", 6);
}

/* What has no getter. */
static void check_others(const struct look *look)
{
	assert_number(look, "num-procs-var", 12);
	assert_text(look, "display-affinity-var", "true");
	assert_text(look, "affinity-format-var", "bound to {%A}");
	assert_no_number(look, "affinity-format-var", ompd_rc_incompatible);
}

static void check_others_unknown(const struct look *look)
{
	assert_no_number(look, "num-procs-var", ompd_rc_unavailable);
	assert_no_text(look, "display-affinity-var", ompd_rc_unavailable);
	assert_no_text(look, "affinity-format-var", ompd_rc_unavailable);
	assert_no_text(look, "tool-libraries-var", ompd_rc_unavailable);
}

static void test_of_process_by_symbols(void **state)
{
	struct look look = look_at(published, "parallel");

	(void)state;
	set_process(look.session.omp);
	check_getters(&look);
	check_others(&look);
	assert_text(&look, "tool-var", "enabled");
	assert_text(&look, "tool-libraries-var", "/opt/tool.so");
	assert_text(&look, "tool-verbose-init-var", "disabled");
	assert_text(&look, "debug-var", "disabled");
	session_close(&look.session);
}

static void test_of_process_stripped(void **state)
{
	static const enum fake_getters shapes[] = {FAKE_GETTERS_CLANG, FAKE_GETTERS_GCC,
						   FAKE_GETTERS_DIRECT, FAKE_GETTERS_JUMP,
						   FAKE_GETTERS_JUMP_CET};

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct fake_libomp_options options = stripped;
		struct look look;

		options.getters = shapes[i];
		look = look_at(options, "parallel");
		set_process(look.session.omp);
		check_getters(&look);
		check_others(&look);
		/* Nothing proves where the compiler has put them. */
		assert_no_number(&look, "tool-var", ompd_rc_unavailable);
		assert_no_text(&look, "tool-libraries-var", ompd_rc_unavailable);
		assert_no_text(&look, "tool-verbose-init-var", ompd_rc_unavailable);
		session_close(&look.session);
	}
}

/* Code of another shape tells nothing, and that the neighbours lie as in a plain build does not prove the rest. */
static void test_getters_unknown(void **state)
{
	static const enum fake_getters shapes[] = {FAKE_GETTERS_ELSEWHERE, FAKE_GETTERS_OTHER};

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct fake_libomp_options options = stripped;
		struct look look;

		options.getters = shapes[i];
		look = look_at(options, "parallel");
		set_process(look.session.omp);
		assert_no_number(&look, "stacksize-var", ompd_rc_unavailable);
		assert_no_number(&look, "target-offload-var", ompd_rc_unavailable);
		assert_no_number(&look, "max-task-priority-var", ompd_rc_unavailable);
		check_others_unknown(&look);
		session_close(&look.session);
	}
}

/* AArch64's code, of which words are decoded; and code that only looks like it. */
static void test_getters_aarch64(void **state)
{
	(void)state;
	for (unsigned shape = FAKE_GETTERS_AARCH64; shape <= FAKE_GETTERS_AARCH64_OTHER; shape++) {
		struct fake_libomp_options options = stripped;
		struct look look;

		options.getters = shape;
		options.elf_machine = EM_AARCH64;
		look = look_at(options, "parallel");
		set_process(look.session.omp);
		if (shape < FAKE_GETTERS_AARCH64_CALLED) {
			check_getters(&look);
			check_others(&look);
		} else {
			assert_no_number(&look, "stacksize-var", ompd_rc_unavailable);
			assert_no_number(&look, "max-task-priority-var", ompd_rc_unavailable);
			check_others_unknown(&look);
		}
		session_close(&look.session);
	}
}

/* A build that lays its data out in another way: no distance is believed. */
static void test_other_layout(void **state)
{
	static const struct fake_libomp_options builds[] = {
		{.layout = FAKE_LLVM_14},
		{.layout = FAKE_LLVM_19, .threads_elsewhere = true},
		{.layout = FAKE_LLVM_19, .reversed = true},
		{.layout = FAKE_LLVM_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(builds) / sizeof(builds[0]); i++) {
		struct look look = look_at(builds[i], "parallel");

		set_process(look.session.omp);
		check_getters(&look);
		check_others_unknown(&look);
		session_close(&look.session);
	}
}

/* What a symbol has told stays told, whatever is looked for besides and in which way. */
static void test_found_by_symbol(void **state)
{
	static const struct fake_libomp_options options = {
		.layout = FAKE_LLVM_19, .published = true, .getters = FAKE_GETTERS_OTHER};
	struct look look = look_at(options, "parallel");

	(void)state;
	set_process(look.session.omp);
	for (int i = 0; i < 4; i++) {
		assert_number(&look, "stacksize-var", 4 << 20);
		assert_number(&look, "max-task-priority-var", 9);
		fake_forget_symbol(look.session.target, "__kmp_tool");
		assert_no_number(&look, "tool-var", ompd_rc_unavailable);
	}
	session_close(&look.session);
}

/* A getter that contradicts the distances: then they are not believed. */
static void test_contradiction(void **state)
{
	struct look look = look_at(stripped, "parallel");
	struct fake_libomp *omp = look.session.omp;
	const uint64_t code = fake_libomp_image(omp)->base + 0x5000 + 2 * 0x80;
	/* The distance in max_task_priority's getter stands behind 13 bytes and its own opcode. */
	const uint64_t at = code + 13 + 3;

	(void)state;
	set_process(omp);
	fake_put(look.session.target, at, 4, fake_get(look.session.target, at, 4) + 64);
	assert_no_number(&look, "num-procs-var", ompd_rc_unavailable);
	assert_text(&look, "cancel-var", "true");
	session_close(&look.session);
}

static void test_odd_values(void **state)
{
	struct look look = look_at(stripped, "parallel");
	struct fake_libomp *omp = look.session.omp;

	(void)state;
	assert_no_number(&look, "num-procs-var", ompd_rc_unavailable); /* not counted yet */
	assert_no_number(&look, "wait-policy-var", ompd_rc_unavailable);
	fake_set_variable(omp, FAKE_VARIABLE___kmp_library, 3);
	assert_text(&look, "wait-policy-var", "passive");
	assert_text(&look, "affinity-format-var", "");
	fake_set_variable(omp, FAKE_VARIABLE___kmp_affinity_format, 16);
	assert_no_text(&look, "affinity-format-var", ompd_rc_error);
	fake_set_variable(omp, FAKE_VARIABLE___kmp_target_offload, 44);
	assert_text(&look, "target-offload-var", "44");
	session_close(&look.session);
}

static void test_not_kept(void **state)
{
	static const char *const names[] = {
		"available-devices-var",      "num-devices-var", "device-num-var",
		"place-assignment-var",       "free-agent-var",  "free-agent-thread-limit-var",
		"structured-thread-limit-var"};
	struct look look = look_at(published, "parallel");

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_no_number(&look, names[i], ompd_rc_unavailable);
		assert_no_text(&look, names[i], ompd_rc_unavailable);
	}
	session_close(&look.session);
}

static void test_debug_var(void **state)
{
	struct fake_libomp_options options = stripped;
	struct look look;

	(void)state;
	options.tracks_states = true;
	look = look_at(options, "parallel");
	assert_text(&look, "debug-var", "enabled");
	session_close(&look.session);
}

/* A task's ICV of a thread is that of its current task; the process's may be called global. */
static void test_scopes(void **state)
{
	struct look look = look_at(stripped, "parallel");
	ompd_word_t value = 77;
	ompd_scope_t scope;
	ompd_rc_t rc;
	ompd_icv_id_t id = check_icv_id(look.session.handle, "max-active-levels-var", &scope, &rc);

	(void)state;
	set_icv(&look, FAKE_OFFSET_kmp_internal_control_t__max_active_levels, 9);
	assert_ok(ompd_get_icv_from_scope(look.thread, ompd_scope_thread, id, &value));
	assert_int_equal(value, 9);
	assert_ok(ompd_get_icv_from_scope(look.task, ompd_scope_implicit_task, id, &value));
	assert_rc(ompd_get_icv_from_scope(look.region, ompd_scope_parallel, id, &value),
		  ompd_rc_incompatible);
	id = check_icv_id(look.session.handle, "cancel-var", &scope, &rc);
	assert_ok(ompd_get_icv_from_scope(look.session.handle, ompd_scope_global, id, &value));
	assert_rc(ompd_get_icv_from_scope(look.thread, ompd_scope_thread, id, &value),
		  ompd_rc_incompatible);
	assert_rc(ompd_get_icv_string_from_scope(look.session.handle, ompd_scope_global, id, NULL),
		  ompd_rc_bad_input);
	session_close(&look.session);
}

/* The names and ids of LLVM's library, which its tools know by heart. */
static void test_ids_of_llvm(void **state)
{
	static const char *const names[] = {"dyn-var",
					    "run-sched-var",
					    "stacksize-var",
					    "cancel-var",
					    "max-task-priority-var",
					    "debug-var",
					    "nthreads-var",
					    "display-affinity-var",
					    "affinity-format-var",
					    "default-device-var",
					    "tool-var",
					    "tool-libraries-var",
					    "tool-verbose-init-var",
					    "levels-var",
					    "active-levels-var",
					    "thread-limit-var",
					    "max-active-levels-var",
					    "bind-var",
					    "num-procs-var",
					    "ompd-num-procs-var",
					    "thread-num-var",
					    "ompd-thread-num-var",
					    "final-task-var",
					    "ompd-final-var",
					    "ompd-final-task-var",
					    "implicit-task-var",
					    "ompd-implicit-var",
					    "ompd-implicit-task-var",
					    "team-size-var",
					    "ompd-team-size-var"};
	struct session session;

	(void)state;
	library_open_as(OPENMP_5_0);
	session = session_open("parallel");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ompd_scope_t scope;
		ompd_rc_t rc;

		assert_int_equal(check_icv_id(session.handle, names[i], &scope, &rc), i + 1);
	}
	session_close(&session);
	library_close_clean();
}

/* How many names each version has; see docs/conformance.md. */
static void test_counts(void **state)
{
	static const struct {
		ompd_word_t version;
		int count;
	} cases[] = {{OPENMP_5_0, 34}, {OPENMP_5_1, 35}, {OPENMP_5_2, 34}, {OPENMP_6_0, 39}};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct session session;
		ompd_icv_id_t id = ompd_icv_undefined;
		int count = 0, more = 1;

		library_open_as(cases[i].version);
		session = session_open("parallel");
		while (more) {
			const char *name;
			ompd_scope_t scope;

			assert_ok(
				ompd_enumerate_icvs(session.handle, id, &id, &name, &scope, &more));
			assert_ok(fake_callbacks()->free_memory((void *)(uintptr_t)name));
			count++;
		}
		assert_int_equal(count, cases[i].count);
		session_close(&session);
		library_close_clean();
	}
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_of_task),
		OPENED(test_of_explicit_task),
		OPENED(test_schedules),
		cmocka_unit_test(test_text_of_5_0),
		OPENED(test_lists),
		OPENED(test_list_unknown),
		OPENED(test_of_thread),
		OPENED(test_of_region),
		OPENED(test_of_process_by_symbols),
		OPENED(test_of_process_stripped),
		OPENED(test_getters_unknown),
		OPENED(test_getters_aarch64),
		OPENED(test_other_layout),
		OPENED(test_found_by_symbol),
		OPENED(test_contradiction),
		OPENED(test_odd_values),
		OPENED(test_not_kept),
		OPENED(test_debug_var),
		OPENED(test_scopes),
		cmocka_unit_test(test_ids_of_llvm),
		cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
