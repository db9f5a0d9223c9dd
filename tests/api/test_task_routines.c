/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks (41.6): who generated a task, what waits for it on its thread, its code, its frames.
 */
#include "api_test.h"

static struct session session_tracked(const char *scenario, bool tracks)
{
	const struct fake_world world = {
		"", {8, false}, {.layout = FAKE_LLVM_19, .tracks_states = tracks}};

	return session_open_in(&world, fake_scenario(scenario));
}

/* The member of a member of a structure. */
static uint64_t inside(const struct session *session, uint64_t structure,
		       enum fake_table_word member, enum fake_table_word inner)
{
	return structure + fake_table_value(session->omp, member) +
	       fake_table_value(session->omp, inner);
}

static uint64_t task_info(const struct session *session, uint64_t task)
{
	return task + fake_table_value(session->omp, FAKE_OFFSET_kmp_taskdata_t__ompt_task_info);
}

/* Each generating task in turn, until there is none; how many there are. */
static int generations(ompd_task_handle_t *task, ompd_rc_t *end)
{
	ompd_task_handle_t *at = task;
	int count = 0;

	for (;;) {
		ompd_task_handle_t *next = UNTOUCHED;

		*end = ompd_get_generating_task_handle(at, &next);
		if (at != task)
			assert_ok(ompd_rel_task_handle(at));
		if (*end != ompd_rc_ok) {
			assert_ptr_equal(next, UNTOUCHED);
			return count;
		}
		assert_true(++count < 100);
		at = next;
	}
}

/* Implicit tasks lead out through all regions, the serialized ones too. */
static void test_generating_implicit(void **state)
{
	static const char *const scenarios[] = {"sequential",         "parallel",
						"nested_three_deep",  "serialized_thrice",
						"serialized_between", "nested_everywhere"};

	(void)state;
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		struct session session = session_open(scenarios[i]);

		for (size_t k = 0; k < fake_omp_thread_count(session.omp); k++) {
			struct fake_thread *truth = fake_omp_thread(session.omp, k);
			ompd_task_handle_t *task;
			ompd_rc_t end;

			if (!truth->region)
				continue;
			task = task_handle(&session, truth);
			assert_int_equal(generations(task, &end), truth->region->level);
			assert_rc(end, ompd_rc_unavailable);
			assert_ok(ompd_rel_task_handle(task));
		}
		session_close(&session);
	}
}

static void test_generating_explicit(void **state)
{
	struct session session = session_open("parallel");
	struct fake_thread *truth = fake_omp_thread(session.omp, 1);
	const uint64_t implicit = truth->task;
	ompd_task_handle_t *before = task_handle(&session, truth), *task, *generating;
	int order = 1;

	(void)state;
	fake_task(truth, false);
	task = task_handle(&session, truth);
	assert_ok(ompd_get_generating_task_handle(task, &generating));
	assert_ok(ompd_task_handle_compare(generating, before, &order));
	assert_int_equal(order, 0);
	assert_rc(ompd_get_generating_task_handle(task, NULL), ompd_rc_bad_input);
	/* From another team; from nobody; from what cannot be read. */
	fake_set_member(session.omp, implicit, FAKE_OFFSET_kmp_taskdata_t__td_team, 0x1000);
	assert_rc(ompd_get_generating_task_handle(task, &generating), ompd_rc_unavailable);
	fake_set_member(session.omp, truth->task, FAKE_OFFSET_kmp_taskdata_t__td_parent, 0);
	assert_rc(ompd_get_generating_task_handle(task, &generating), ompd_rc_unavailable);
	fake_set_member(session.omp, truth->task, FAKE_OFFSET_kmp_taskdata_t__td_parent, 16);
	assert_rc(ompd_get_generating_task_handle(task, &generating), ompd_rc_error);
	session_close(&session);
}

static void test_scheduling(void **state)
{
	struct session session = session_tracked("parallel", true);
	struct fake_thread *truth = fake_omp_thread(session.omp, 1);
	ompd_task_handle_t *implicit = task_handle(&session, truth), *task;
	ompd_task_handle_t *scheduling = UNTOUCHED;
	const uint64_t outer = truth->task;
	uint64_t variable;
	int order = 1;

	(void)state;
	assert_rc(ompd_get_scheduling_task_handle(implicit, &scheduling), ompd_rc_unavailable);
	fake_task(truth, false);
	task = task_handle(&session, truth);
	assert_rc(ompd_get_scheduling_task_handle(task, &scheduling), ompd_rc_unavailable);
	assert_rc(ompd_get_scheduling_task_handle(task, NULL), ompd_rc_bad_input);
	variable = inside(&session, truth->task, FAKE_OFFSET_kmp_taskdata_t__ompt_task_info,
			  FAKE_OFFSET_ompt_task_info_t__scheduling_parent);
	fake_put(session.target, variable, 8, outer);
	assert_ok(ompd_get_scheduling_task_handle(task, &scheduling));
	assert_ok(ompd_task_handle_compare(scheduling, implicit, &order));
	assert_int_equal(order, 0);
	scheduling = UNTOUCHED;
	fake_put(session.target, variable, 8, 16);
	assert_rc(ompd_get_scheduling_task_handle(task, &scheduling), ompd_rc_error);
	fake_put(session.target, variable, 8, fake_omp_thread(session.omp, 0)->task);
	fake_set_member(session.omp, fake_omp_thread(session.omp, 0)->task,
			FAKE_OFFSET_kmp_taskdata_t__td_team, 0x1000);
	assert_rc(ompd_get_scheduling_task_handle(task, &scheduling), ompd_rc_unavailable);
	assert_ptr_equal(scheduling, UNTOUCHED);
	session_close(&session);
}

static void test_without_tracking(void **state)
{
	struct session session = session_tracked("parallel", false);
	struct fake_thread *truth = fake_omp_thread(session.omp, 1);
	ompd_frame_info_t exit_frame = {{77, 77}, 77}, enter_frame = exit_frame;
	ompd_task_handle_t *task, *scheduling = UNTOUCHED;

	(void)state;
	fake_task(truth, false);
	task = task_handle(&session, truth);
	assert_rc(ompd_get_scheduling_task_handle(task, &scheduling), ompd_rc_needs_state_tracking);
	assert_rc(ompd_get_task_frame(task, &exit_frame, &enter_frame),
		  ompd_rc_needs_state_tracking);
	assert_int_equal(exit_frame.frame_flag, 77);
	assert_int_equal(enter_frame.frame_address.address, 77);
	session_close(&session);
}

static void test_function(void **state)
{
	struct session session = session_open("parallel");
	struct fake_thread *truth = fake_omp_thread(session.omp, 1);
	ompd_task_handle_t *task = task_handle(&session, truth);
	ompd_address_t entry = {77, 77};
	uint64_t behind;

	(void)state;
	assert_rc(ompd_get_task_function(task, NULL), ompd_rc_bad_input);
	assert_ok(ompd_get_task_function(task, &entry));
	assert_int_equal(entry.segment, ompd_segment_none);
	assert_int_equal(entry.address, truth->region->function);
	fake_task(truth, false);
	task = task_handle(&session, truth);
	behind = truth->task + fake_table_value(session.omp, FAKE_SIZEOF_kmp_taskdata_t);
	fake_put(session.target,
		 behind + fake_table_value(session.omp, FAKE_OFFSET_kmp_task_t__routine), 8,
		 0x401000);
	assert_ok(ompd_get_task_function(task, &entry));
	assert_int_equal(entry.address, 0x401000);
	session_close(&session);
}

/* The runtime is not told the function of a serialized region, nor has the initial task one. */
static void test_function_unknown(void **state)
{
	static const char *const scenarios[] = {"sequential", "serialized_thrice"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct session session = session_open(scenarios[i]);
		ompd_task_handle_t *task = task_handle(&session, fake_omp_thread(session.omp, 0));
		ompd_address_t entry = {77, 77};

		assert_rc(ompd_get_task_function(task, &entry), ompd_rc_unavailable);
		assert_int_equal(entry.address, 77);
		session_close(&session);
	}
}

static void put_frames(const struct session *session, uint64_t info, uint64_t exit_frame,
		       uint64_t enter_frame)
{
	const uint64_t frame =
		info + fake_table_value(session->omp, FAKE_OFFSET_ompt_task_info_t__frame);

	fake_put(session->target,
		 frame + fake_table_value(session->omp, FAKE_OFFSET_ompt_frame_t__exit_frame), 8,
		 exit_frame);
	fake_put(session->target,
		 frame + fake_table_value(session->omp, FAKE_OFFSET_ompt_frame_t__enter_frame), 8,
		 enter_frame);
	fake_put(session->target, frame + 16, 4, 0x20); /* exit_frame_flags in 14 to 22 */
	fake_put(session->target, frame + 20, 4, 0x21);
}

static void test_frames(void **state)
{
	struct session session = session_tracked("parallel", true);
	struct fake_thread *truth = fake_omp_thread(session.omp, 1);
	ompd_task_handle_t *task = task_handle(&session, truth);
	ompd_frame_info_t exit_frame, enter_frame;

	(void)state;
	put_frames(&session, task_info(&session, truth->task), 0x7ff0, 0x7fe0);
	assert_ok(ompd_get_task_frame(task, &exit_frame, &enter_frame));
	assert_int_equal(exit_frame.frame_address.address, 0x7ff0);
	assert_int_equal(exit_frame.frame_flag, 0x20);
	assert_int_equal(enter_frame.frame_address.address, 0x7fe0);
	assert_int_equal(enter_frame.frame_flag, 0x21);
	assert_rc(ompd_get_task_frame(task, NULL, &enter_frame), ompd_rc_bad_input);
	assert_rc(ompd_get_task_frame(task, &exit_frame, NULL), ompd_rc_bad_input);
	session_close(&session);
}

/* Without a record of the release the flags are not known. */
static void test_frames_without_record(void **state)
{
	const struct fake_world world = {
		"", {8, false}, {.layout = FAKE_LLVM_UNKNOWN, .tracks_states = true}};
	struct session session = session_open_in(&world, fake_scenario("parallel"));
	struct fake_thread *truth = fake_omp_thread(session.omp, 1);
	ompd_task_handle_t *task = task_handle(&session, truth);
	ompd_frame_info_t exit_frame, enter_frame;

	(void)state;
	put_frames(&session, task_info(&session, truth->task), 0x7ff0, 0x7fe0);
	assert_rc(ompd_get_task_frame(task, &exit_frame, &enter_frame), ompd_rc_incomplete);
	assert_int_equal(exit_frame.frame_address.address, 0x7ff0);
	assert_int_equal(exit_frame.frame_flag, 0);
	session_close(&session);
}

/* Three serialized regions share a structure: the inner one's information stands in it, that of the others
 * in lightweight teams, the innermost of them first. */
static void test_frames_of_serialized(void **state)
{
	struct session session = session_tracked("serialized_thrice", true);
	struct fake_libomp *omp = session.omp;
	struct fake_thread *truth = fake_omp_thread(omp, 0);
	ompd_task_handle_t *task = task_handle(&session, truth), *outer;
	ompd_frame_info_t exit_frame, enter_frame;
	uint64_t teams[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		teams[i] = fake_allocate_block(omp, 128);
		put_frames(&session,
			   teams[i] + fake_table_value(
					      omp, FAKE_OFFSET_ompt_lw_taskteam_t__ompt_task_info),
			   0x1000 + (uint64_t)i, 0);
	}
	put_frames(&session, task_info(&session, truth->task), 0x5000, 0);
	fake_set_member(omp, truth->region->team,
			FAKE_OFFSET_kmp_base_team_t__ompt_serialized_team_info, teams[0]);
	fake_set_member(omp, teams[0], FAKE_OFFSET_ompt_lw_taskteam_t__parent, teams[1]);
	assert_ok(ompd_get_task_frame(task, &exit_frame, &enter_frame));
	assert_int_equal(exit_frame.frame_address.address, 0x5000);
	for (uint64_t i = 0; i < 2; i++) {
		assert_ok(ompd_get_generating_task_handle(task, &outer));
		assert_ok(ompd_get_task_frame(outer, &exit_frame, &enter_frame));
		assert_int_equal(exit_frame.frame_address.address, 0x1000 + i);
		task = outer;
	}
	/* The outermost began before OMPT was on. */
	fake_set_member(omp, teams[0], FAKE_OFFSET_ompt_lw_taskteam_t__parent, 0);
	assert_rc(ompd_get_task_frame(task, &exit_frame, &enter_frame), ompd_rc_unavailable);
	session_close(&session);
}

/* Lightweight teams that go in a circle, as deep as the team's level says that they are: found out after a turn,
 * and nothing is made of them. */
static void test_circle_of_lightweight_teams(void **state)
{
	static const int32_t levels[] = {3, 4, 1000, 60000, 1000000, INT32_MAX};
	struct session session = session_tracked("serialized_thrice", true);
	struct fake_libomp *omp = session.omp;
	struct fake_thread *truth = fake_omp_thread(omp, 0);
	ompd_task_handle_t *task = task_handle(&session, truth), *outer, *outermost;
	ompd_frame_info_t exit_frame, enter_frame;
	ompd_parallel_handle_t *region;
	uint64_t teams[2];

	(void)state;
	assert_ok(ompd_get_generating_task_handle(task, &outer));
	assert_ok(ompd_get_generating_task_handle(outer, &outermost));
	assert_ok(ompd_get_task_parallel_handle(outermost, &region));
	/* Whatever is looked for once. */
	assert_rc(ompd_get_task_frame(outermost, &exit_frame, &enter_frame), ompd_rc_unavailable);
	for (int i = 0; i < 2; i++)
		teams[i] = fake_allocate_block(omp, 128);
	fake_set_member(omp, truth->region->team,
			FAKE_OFFSET_kmp_base_team_t__ompt_serialized_team_info, teams[0]);
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		for (unsigned length = 1; length <= 2; length++) {
			ompd_address_t pointer;
			ompd_word_t value;

			fake_set_member(omp, truth->region->team,
					FAKE_OFFSET_kmp_base_team_t__t_level, (uint64_t)levels[i]);
			fake_set_member(omp, teams[0], FAKE_OFFSET_ompt_lw_taskteam_t__parent,
					teams[length - 1]);
			fake_set_member(omp, teams[1], FAKE_OFFSET_ompt_lw_taskteam_t__parent,
					teams[0]);
			fake_counts_reset();
			if (levels[i] > 4)
				assert_rc(ompd_get_task_frame(outermost, &exit_frame, &enter_frame),
					  ompd_rc_error);
			else
				(void)ompd_get_task_frame(outermost, &exit_frame, &enter_frame);
			(void)ompd_get_tool_data(region, ompd_scope_parallel, &value, &pointer);
			assert_true(fake_counts().calls[FAKE_READ] < 40);
		}
	}
	session_close(&session);
}

/* A league's initial thread has one task, whichever way it is asked for, and outside of it the program's. */
static void test_league(void **state)
{
	struct session session = session_open("sequential");
	struct fake_thread *root = fake_omp_thread(session.omp, 0);
	ompd_parallel_handle_t *region;
	ompd_task_handle_t *task, *other;
	ompd_rc_t end;
	int order = 1;

	(void)state;
	fake_teams(root, 2, 2);
	task = task_handle(&session, root);
	region = region_handle(&session, root);
	assert_ok(ompd_get_task_in_parallel(region, 0, &other));
	assert_ok(ompd_task_handle_compare(task, other, &order));
	assert_int_equal(order, 0);
	assert_int_equal(generations(task, &end), 1);
	assert_rc(end, ompd_rc_unavailable);
	session_close(&session);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_generating_implicit),
		OPENED(test_generating_explicit),
		OPENED(test_scheduling),
		OPENED(test_without_tracking),
		OPENED(test_function),
		OPENED(test_function_unknown),
		OPENED(test_frames),
		OPENED(test_frames_without_record),
		OPENED(test_frames_of_serialized),
		OPENED(test_circle_of_lightweight_teams),
		OPENED(test_league),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
