/* SPDX-License-Identifier: Apache-2.0
 *
 * ompdx_classify, ompdx_decode_sleep: any input is answered, with legal values, twice alike, and by the sanitizers'
 * word nothing else is touched.
 */
#include <string.h>

#include "api_test.h"

#define INPUTS 300000
#define FRAMES_MAX 12
#define LEVELS_MAX 4

static const char *const names[] = {
	"main",
	"__kmpc_barrier",
	"__kmpc_cancel_barrier",
	"__kmpc_fork_call",
	"__kmpc_fork_call_if",
	"__kmpc_fork_teams",
	"__kmpc_critical",
	"__kmpc_omp_task",
	"__kmpc_reduce",
	"__kmpc_end_reduce",
	"__kmpc_atomic_fixed4_add",
	"__kmpc_dispatch_next_4",
	"__kmpc_flush",
	"__kmp_invoke_microtask",
	"__kmp_fork_call",
	"__kmp_acquire_queuing_lock",
	"GOMP_parallel",
	"GOMP_parallel_end",
	"GOMP_barrier",
	"GOMP_task",
	"GOMP_critical_start",
	"__tgt_target_kernel",
	"omp_set_lock",
	"gomp_thread_start",
	"pthread_cond_wait",
	"pthread_create",
	"start_thread",
	"solve.omp_outlined",
};

#define NAME_COUNT (sizeof(names) / sizeof(names[0]))

static const char *const sources[] = {
	NULL,
	"",
	";",
	";;",
	";;;;;;",
	";a.c;main;9;1;;",
	";FIRModule;solve_;9;1;;",
	";unknown;unknown;0;0;;",
	"9;1;;",
	";a;b;c;7;;;",
};

static uint64_t seed = 16;

static uint32_t any(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

/* Mostly small, now and then anything. */
static uint32_t number(uint32_t below)
{
	return any(16) ? any(below) : (uint32_t)seed;
}

struct input {
	ompdx_function_t functions[NAME_COUNT];
	ompdx_frame_t frames[FRAMES_MAX];
	ompdx_view_level_t levels[LEVELS_MAX];
	ompdx_view_region_t regions[LEVELS_MAX];
	ompdx_team_arrivals_t arrivals;
	ompdx_sleep_t sleep;
	ompdx_facts_t facts;
	ompdx_stack_t stack;
};

static const ompdx_function_t *any_function(struct input *in)
{
	ompdx_function_t *function = &in->functions[any(NAME_COUNT)];

	if (!any(200))
		function->roles ^= UINT32_C(1) << any(32);
	if (!any(200))
		function->wait = (ompdx_wait_t)number(40);
	return any(4) ? function : NULL;
}

static void draw_stack(struct input *in)
{
	memset(&in->stack, 0, sizeof(in->stack));
	in->stack.size = sizeof(in->stack);
	in->stack.frames = in->frames;
	in->stack.frame_count = any(FRAMES_MAX + 1);
	in->stack.frame_size = sizeof(in->frames[0]);
	in->stack.extent = (ompdx_extent_t)number(3);
	for (uint32_t i = 0; i < FRAMES_MAX; i++) {
		in->frames[i].code = (ompdx_code_t)number(5);
		in->frames[i].runtime_kind = (ompdx_runtime_kind_t)number(3);
		in->frames[i].runtime = any(8) ? 0 : number(3);
		in->frames[i].direct_call = (int32_t)number(3) - 1;
		in->frames[i].function = any_function(in);
		in->frames[i].called = any_function(in);
		in->frames[i].entry = number(3) * 0x100;
	}
	in->sleep.size = sizeof(in->sleep);
	in->sleep.address = 0x10000 + (any(2) ? 132 : any(2) ? 1280 : number(4000));
	in->sleep.expected = number(64);
	in->sleep.now = any(2) ? in->sleep.expected : number(64);
	in->sleep.now_known = any(4) != 0;
	in->stack.sleep = any(3) ? &in->sleep : NULL;
}

static void draw_facts(struct input *in)
{
	memset(&in->facts, 0, sizeof(in->facts));
	in->facts.size = sizeof(in->facts);
	in->facts.known = number(4);
	in->facts.runtime = any(8) ? 0 : number(3);
	in->facts.runtime_kind = (ompdx_runtime_kind_t)number(3);
	in->facts.thread_kind = (ompdx_thread_kind_t)number(5);
	in->facts.has_team = any(2);
	in->facts.ident_flags = (int32_t)number(0x400);
	in->facts.ident_source = sources[any(sizeof(sources) / sizeof(sources[0]))];
	in->facts.levels = in->levels;
	in->facts.level_count = any(LEVELS_MAX + 1);
	in->facts.level_size = sizeof(in->levels[0]);
	in->facts.regions = in->regions;
	in->facts.region_count = LEVELS_MAX;
	in->facts.region_size = sizeof(in->regions[0]);
	in->facts.arrivals = any(2) ? &in->arrivals : NULL;
	in->arrivals.size = sizeof(in->arrivals);
	in->arrivals.awaits = (int32_t)number(4);
	in->arrivals.arrived = (int32_t)number(4) - 1;
	in->arrivals.arrived_at_end = (int32_t)number(4) - 1;
	for (uint32_t i = 0; i < LEVELS_MAX; i++) {
		in->levels[i].region = number(LEVELS_MAX);
		in->levels[i].thread_num = (int32_t)number(3);
		in->regions[i].size = sizeof(in->regions[i]);
		in->regions[i].address = 0x10000;
		in->regions[i].generator = number(4);
		in->regions[i].serialized = (int32_t)number(2);
		in->regions[i].level = (int32_t)number(4) - 1;
		in->regions[i].team_num = (int32_t)number(3) - 1;
		in->regions[i].member_count = number(4);
		in->regions[i].function = number(3) * 0x100;
	}
}

static bool is_state(uint32_t state)
{
	return state <= OMPDX_STATE_WORK_PARALLEL ||
	       (state >= OMPDX_STATE_WAIT_BARRIER && state <= OMPDX_STATE_WAIT_TARGET_UPDATE) ||
	       (state >= OMPDX_STATE_IDLE && state <= OMPDX_STATE_UNDEFINED);
}

static bool is_index(uint32_t index, const struct input *in)
{
	return index == UINT32_MAX || index < in->stack.frame_count;
}

static void check(const struct input *in, const ompdx_classification_t *told)
{
	assert_true(is_state(told->state));
	assert_true(told->wait <= ompdx_wait_target_update);
	assert_true(told->construct <= ompdx_construct_worksharing);
	assert_true(told->place <= ompdx_place_region);
	assert_true(told->doubt <= ompdx_doubt_no_facts);
	assert_true(told->told <= 0xff && told->asks <= 0x1f);
	assert_true(is_index(told->entry_frame, in) && is_index(told->caller_frame, in) &&
		    is_index(told->outermost_frame, in));
	/* What is not known has a reason. */
	if (told->state == OMPDX_STATE_UNDEFINED)
		assert_int_not_equal(told->doubt, ompdx_doubt_none);
}

static void test_any_input(void **state)
{
	struct input in;

	(void)state;
	memset(&in, 0, sizeof(in));
	for (uint32_t at = 0; at < INPUTS; at++) {
		ompdx_classification_t told = {.size = sizeof(told)},
				       again = {.size = sizeof(again)};
		const ompdx_facts_t *facts = any(5) ? &in.facts : NULL;

		if (at % 1000 == 0) {
			for (size_t i = 0; i < NAME_COUNT; i++) {
				in.functions[i].size = sizeof(in.functions[i]);
				assert_ok(ompdx_describe_function(names[i], &in.functions[i]));
			}
		}
		draw_stack(&in);
		draw_facts(&in);
		assert_ok(ompdx_classify(&in.stack, facts, &told));
		check(&in, &told);
		assert_ok(ompdx_classify(&in.stack, facts, &again));
		assert_memory_equal(&told, &again, sizeof(told));
	}
}

/* Recorded sources end where a byte is flipped or cut. */
static void test_any_source(void **state)
{
	static const char whole[] = ";a.c;main;9;1;;";
	char text[sizeof(whole)];
	struct input in;
	uint32_t told_clangs = 0;

	(void)state;
	memset(&in, 0, sizeof(in));
	draw_facts(&in);
	draw_stack(&in);
	for (size_t i = 0; i < NAME_COUNT; i++) {
		in.functions[i].size = sizeof(in.functions[i]);
		assert_ok(ompdx_describe_function(names[i], &in.functions[i]));
	}
	memset(in.frames, 0, sizeof(in.frames));
	in.frames[0].code = ompdx_code_runtime;
	in.frames[0].function = &in.functions[1];
	in.frames[1].code = ompdx_code_program;
	in.stack.frame_count = 2;
	in.stack.sleep = NULL;
	in.facts.known = 0;
	in.facts.runtime = 0;
	in.facts.ident_flags = OMPDX_IDENT_BARRIER_FOR;
	in.facts.ident_source = text;
	for (size_t at = 0; at < sizeof(whole); at++) {
		for (uint32_t byte = 0; byte < 256; byte++) {
			ompdx_classification_t told = {.size = sizeof(told)};

			memcpy(text, whole, sizeof(whole));
			text[at] = (char)byte;
			text[sizeof(text) - 1] = '\0';
			assert_ok(ompdx_classify(&in.stack, &in.facts, &told));
			assert_true(told.construct == ompdx_construct_for ||
				    told.construct == ompdx_construct_worksharing);
			told_clangs += told.construct == ompdx_construct_for;
		}
	}
	assert_true(told_clangs > 256);
}

static void test_any_system_call(void **state)
{
	(void)state;
	for (uint32_t at = 0; at < INPUTS; at++) {
		uint64_t arguments[6];
		ompdx_sleep_t sleep = {.size = sizeof(sleep)};
		ompd_rc_t rc;

		for (size_t i = 0; i < 6; i++)
			arguments[i] = number(300);
		rc = ompdx_decode_sleep(any(2) ? 62 : number(200), any(2) ? 202 : number(300),
					arguments, &sleep);
		assert_true(rc == ompd_rc_ok || rc == ompd_rc_unavailable ||
			    rc == ompd_rc_unsupported);
		if (rc == ompd_rc_ok)
			assert_int_equal(sleep.address, arguments[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_input),
		cmocka_unit_test(test_any_source),
		cmocka_unit_test(test_any_system_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
