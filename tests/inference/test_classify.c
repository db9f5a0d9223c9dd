/* SPDX-License-Identifier: Apache-2.0
 *
 * ompdx_classify: what a stack tells. That each recorded stack tells what it should: tests/plugin/test_classify.py.
 */
#include <string.h>

#include "api_test.h"

#define FUNCTIONS_MAX 64

/* A frame of this kind of code and this name, which lives as long as the test. */
static ompdx_frame_t frame(ompdx_code_t code, const char *name)
{
	static ompdx_function_t functions[FUNCTIONS_MAX];
	static size_t count;
	ompdx_frame_t made = {.code = code, .runtime_kind = ompdx_runtime_llvm, .direct_call = -1};
	ompdx_function_t *function = &functions[count++ % FUNCTIONS_MAX];

	function->size = sizeof(*function);
	if (name) {
		assert_ok(ompdx_describe_function(name, function));
		made.function = function;
	}
	return made;
}

static ompdx_frame_t omp(const char *name)
{
	return frame(ompdx_code_runtime, name);
}

static ompdx_frame_t gomp(const char *name)
{
	ompdx_frame_t made = frame(ompdx_code_runtime, name);

	made.runtime_kind = ompdx_runtime_gomp;
	return made;
}

static ompdx_frame_t user(const char *name)
{
	return frame(ompdx_code_program, name);
}

static ompdx_frame_t libc(const char *name)
{
	return frame(ompdx_code_system, name);
}

static ompdx_stack_t stack_of(const ompdx_frame_t *frames, uint32_t count)
{
	const ompdx_stack_t made = {
		.size = sizeof(made),
		.frames = frames,
		.frame_count = count,
		.frame_size = sizeof(*frames),
		.extent = ompdx_extent_whole,
	};

	return made;
}

#define STACK(frames) stack_of(frames, sizeof(frames) / sizeof((frames)[0]))

static ompdx_classification_t classified(const ompdx_stack_t *stack, const ompdx_facts_t *facts)
{
	ompdx_classification_t told = {.size = sizeof(told)};

	assert_ok(ompdx_classify(stack, facts, &told));
	assert_int_equal(told.size, sizeof(told));
	return told;
}

/* Thread 0 of a parallel region of two. */
struct of_region {
	ompdx_view_level_t level;
	ompdx_view_region_t region;
	ompdx_facts_t facts;
};

static void in_region(struct of_region *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->region.size = sizeof(ret->region);
	ret->region.address = 0x10000;
	ret->region.generator = ompd_generator_parallel;
	ret->region.level = ret->region.active_level = 1;
	ret->region.team_num = -1;
	ret->region.member_count = 2;
	ret->facts.size = sizeof(ret->facts);
	ret->facts.known = OMPDX_FACT_THREAD | OMPDX_FACT_REGIONS;
	ret->facts.thread_kind = ompdx_thread_initial;
	ret->facts.runtime_kind = ompdx_runtime_llvm;
	ret->facts.ident_flags = -1;
	ret->facts.levels = &ret->level;
	ret->facts.level_count = 1;
	ret->facts.level_size = sizeof(ret->level);
	ret->facts.regions = &ret->region;
	ret->facts.region_count = 1;
	ret->facts.region_size = sizeof(ret->region);
}

static void test_arguments(void **state)
{
	ompdx_frame_t frames[] = {user("main")};
	ompdx_stack_t stack = STACK(frames);
	ompdx_classification_t told = {.size = sizeof(told)};
	ompdx_sleep_t sleep = {.size = 4};
	struct of_region of;

	(void)state;
	in_region(&of);
	assert_rc(ompdx_classify(NULL, NULL, &told), ompd_rc_bad_input);
	assert_rc(ompdx_classify(&stack, NULL, NULL), ompd_rc_bad_input);
	told.size = 8;
	assert_rc(ompdx_classify(&stack, NULL, &told), ompd_rc_bad_input);
	told.size = sizeof(told);
	stack.size--;
	assert_rc(ompdx_classify(&stack, NULL, &told), ompd_rc_bad_input);
	stack = STACK(frames);
	stack.frames = NULL;
	assert_rc(ompdx_classify(&stack, NULL, &told), ompd_rc_bad_input);
	stack = STACK(frames);
	stack.frame_size--;
	assert_rc(ompdx_classify(&stack, NULL, &told), ompd_rc_bad_input);
	stack = STACK(frames);
	stack.sleep = &sleep;
	assert_rc(ompdx_classify(&stack, NULL, &told), ompd_rc_bad_input);
	stack.sleep = NULL;
	of.facts.levels = NULL;
	assert_rc(ompdx_classify(&stack, &of.facts, &told), ompd_rc_bad_input);
	in_region(&of);
	of.facts.region_size = 8;
	assert_rc(ompdx_classify(&stack, &of.facts, &told), ompd_rc_bad_input);
	in_region(&of);
	of.facts.size--;
	assert_rc(ompdx_classify(&stack, &of.facts, &told), ompd_rc_bad_input);
}

static void test_wait_in_a_region(void **state)
{
	ompdx_frame_t frames[] = {libc("sched_yield"), omp(NULL), omp("__kmpc_critical"),
				  user("work")};
	const ompdx_stack_t stack = STACK(frames);
	ompdx_classification_t told;
	struct of_region of;

	(void)state;
	in_region(&of);
	told = classified(&stack, &of.facts);
	assert_int_equal(told.state, OMPDX_STATE_WAIT_CRITICAL);
	assert_int_equal(told.wait, ompdx_wait_critical);
	assert_int_equal(told.doubt, ompdx_doubt_none);
	assert_int_equal(told.place, ompdx_place_call);
	assert_int_equal(told.entry_frame, 2);
	assert_int_equal(told.caller_frame, 3);
	assert_int_equal(told.object_argument, 2);
	assert_int_equal(told.runtime, 0);
}

/* The compiler's mark may be the view's or have been read where the call is. */
static void test_barriers(void **state)
{
	static const struct {
		int32_t flags;
		ompdx_construct_t construct;
		uint32_t state;
	} marks[] = {
		{0x22, ompdx_construct_barrier, OMPDX_STATE_WAIT_BARRIER_EXPLICIT},
		{0xc2, ompdx_construct_sections, OMPDX_STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE},
		{0x42, ompdx_construct_worksharing, OMPDX_STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE},
		{0x02, ompdx_construct_none, OMPDX_STATE_WAIT_BARRIER},
		{-1, ompdx_construct_none, OMPDX_STATE_WAIT_BARRIER},
	};
	ompdx_frame_t frames[] = {omp(NULL), omp("__kmpc_barrier"), user("work")};
	const ompdx_stack_t stack = STACK(frames);
	struct of_region of;

	(void)state;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		for (int known = 0; known < 2; known++) {
			ompdx_classification_t told;

			in_region(&of);
			of.facts.ident_flags = marks[i].flags;
			of.facts.known = known ? of.facts.known : 0;
			told = classified(&stack, &of.facts);
			assert_int_equal(told.state, marks[i].state);
			assert_int_equal(told.construct, marks[i].construct);
			assert_int_equal(told.doubt, ompdx_doubt_none);
		}
	}
}

/* Who may not read the memory has the stack alone. */
static void test_without_facts(void **state)
{
	ompdx_frame_t serial[] = {user("work"), user("main"), libc("__libc_start_main")};
	ompdx_frame_t inside[] = {user("work.omp_outlined"), omp("__kmp_invoke_microtask"),
				  omp("__kmpc_fork_call"), user("main")};
	ompdx_frame_t called_by_itself[] = {user("work"), user("main._omp_fn.0"), user("main")};
	ompdx_frame_t worker[] = {libc("futex"), omp(NULL), libc("start_thread")};
	ompdx_frame_t cut[] = {libc("futex"), omp(NULL)};
	ompdx_frame_t lock[] = {omp("omp_set_lock_"), user("work")};
	ompdx_stack_t stack = STACK(serial);

	(void)state;
	assert_int_equal(classified(&stack, NULL).state, OMPDX_STATE_WORK_SERIAL);
	assert_int_equal(classified(&stack, NULL).doubt, ompdx_doubt_no_facts);
	stack.extent = ompdx_extent_cut;
	assert_int_equal(classified(&stack, NULL).state, OMPDX_STATE_UNDEFINED);
	stack = STACK(inside);
	assert_int_equal(classified(&stack, NULL).state, OMPDX_STATE_WORK_PARALLEL);
	stack = STACK(called_by_itself);
	assert_int_equal(classified(&stack, NULL).state, OMPDX_STATE_WORK_PARALLEL);
	stack = STACK(worker);
	assert_int_equal(classified(&stack, NULL).state, OMPDX_STATE_UNDEFINED);
	assert_int_equal(classified(&stack, NULL).doubt, ompdx_doubt_idle_or_end);
	stack = STACK(cut);
	assert_int_equal(classified(&stack, NULL).doubt, ompdx_doubt_no_stack);
	stack = STACK(lock);
	assert_int_equal(classified(&stack, NULL).state, OMPDX_STATE_WAIT_LOCK);
	assert_int_equal(classified(&stack, NULL).doubt, ompdx_doubt_none);
}

static void test_what_is_asked_for(void **state)
{
	ompdx_frame_t frames[] = {gomp(NULL), gomp(NULL), user("work")};
	ompdx_function_t called = {.size = sizeof(called)};
	ompdx_sleep_t sleep = {.size = sizeof(sleep)};
	ompdx_stack_t stack = STACK(frames);
	ompdx_classification_t told;
	struct of_region of;

	(void)state;
	in_region(&of);
	of.facts.runtime_kind = ompdx_runtime_gomp;
	told = classified(&stack, &of.facts);
	assert_int_equal(told.doubt, ompdx_doubt_no_stack);
	assert_int_equal(told.asks, OMPDX_ASKS_CALLED | OMPDX_ASKS_DIRECT | OMPDX_ASKS_SLEEP);
	assert_int_equal(told.caller_frame, 2);
	assert_int_equal(told.outermost_frame, 1);
	assert_ok(ompdx_describe_function("GOMP_critical_start", &called));
	frames[1].direct_call = 1;
	frames[2].called = &called;
	told = classified(&stack, &of.facts);
	assert_int_equal(told.state, OMPDX_STATE_WAIT_CRITICAL);
	assert_int_equal(told.asks, OMPDX_ASKS_SLEEP);
	assert_int_equal(told.told, OMPDX_TOLD_ENTRY_CALLED | OMPDX_TOLD_UNNAMED);
	sleep.address = 0x7000;
	stack.sleep = &sleep;
	told = classified(&stack, &of.facts);
	assert_int_equal(told.asks, 0);
	assert_int_equal(told.object, 0x7000);
	/* Called by pointer: the code of the region has made way. */
	frames[1].direct_call = 0;
	frames[2] = libc("start_thread");
	told = classified(&stack, &of.facts);
	assert_int_equal(told.doubt, ompdx_doubt_code_hidden);
}

static void test_words_of_a_team(void **state)
{
	ompdx_frame_t frames[] = {gomp(NULL), gomp("GOMP_barrier"), user("work")};
	ompdx_sleep_t sleep = {.size = sizeof(sleep), .now_known = 1};
	ompdx_stack_t stack = STACK(frames);
	ompdx_classification_t told;
	struct of_region of;

	(void)state;
	in_region(&of);
	of.facts.runtime_kind = ompdx_runtime_gomp;
	stack.sleep = &sleep;
	sleep.address = of.region.address + 132;
	sleep.expected = sleep.now = 24;
	told = classified(&stack, &of.facts);
	assert_int_equal(told.state, OMPDX_STATE_WAIT_BARRIER);
	assert_int_equal(told.told, OMPDX_TOLD_ROUND);
	assert_int_equal(told.round, 3);
	sleep.now = 32;
	told = classified(&stack, &of.facts);
	assert_int_equal(told.told, OMPDX_TOLD_LET_GO);
	/* The bits below a round are flags. */
	sleep.now = 28;
	told = classified(&stack, &of.facts);
	assert_int_equal(told.told, OMPDX_TOLD_ROUND);
	of.region.barrier_round = 4;
	told = classified(&stack, &of.facts);
	assert_int_equal(told.told, OMPDX_TOLD_LET_GO);
	sleep.now = 27;
	told = classified(&stack, &of.facts);
	assert_int_equal(told.told, OMPDX_TOLD_ROUND);
	assert_int_equal(told.round, 6);
	sleep.address = of.region.address + 1280;
	told = classified(&stack, &of.facts);
	assert_int_equal(told.state, OMPDX_STATE_OVERHEAD);
	sleep.address = 0x7000;
	sleep.now = sleep.expected;
	told = classified(&stack, &of.facts);
	assert_int_equal(told.doubt, ompdx_doubt_sleeps_elsewhere);
}

static void test_system_calls(void **state)
{
	uint64_t arguments[6] = {0x7000, 128, 0xffffffff00000018, 0, 0, 0};
	ompdx_sleep_t sleep = {.size = sizeof(sleep)};

	(void)state;
	assert_ok(ompdx_decode_sleep(62, 202, arguments, &sleep));
	assert_int_equal(sleep.address, 0x7000);
	assert_int_equal(sleep.expected, 0x18);
	assert_int_equal(sleep.now_known, 0);
	assert_ok(ompdx_decode_sleep(183, 98, arguments, &sleep));
	assert_rc(ompdx_decode_sleep(62, 98, arguments, &sleep), ompd_rc_unavailable);
	assert_rc(ompdx_decode_sleep(3, 202, arguments, &sleep), ompd_rc_unsupported);
	arguments[3] = 0x7100;
	assert_rc(ompdx_decode_sleep(62, 202, arguments, &sleep), ompd_rc_unavailable);
	arguments[3] = 0;
	arguments[1] = 129; /* it wakes others */
	assert_rc(ompdx_decode_sleep(62, 202, arguments, &sleep), ompd_rc_unavailable);
	assert_rc(ompdx_decode_sleep(62, 202, NULL, &sleep), ompd_rc_bad_input);
	sleep.size = 8;
	assert_rc(ompdx_decode_sleep(62, 202, arguments, &sleep), ompd_rc_bad_input);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments),         cmocka_unit_test(test_wait_in_a_region),
		cmocka_unit_test(test_barriers),          cmocka_unit_test(test_without_facts),
		cmocka_unit_test(test_what_is_asked_for), cmocka_unit_test(test_words_of_a_team),
		cmocka_unit_test(test_system_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
