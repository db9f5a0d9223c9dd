/* SPDX-License-Identifier: Apache-2.0
 *
 * While callbacks fail, and while memory lies: do the routines that give values say what is true or say that
 * they cannot, and leave nothing behind?
 */
#include <string.h>

#include "answers.h"
#include "fake_variables.h"

/* What all answers of a damaged process may cost. */
#define CALLS_MAX 100000

static const struct fake_world worlds[] = {
	{"stripped 19", {8, false}, {.layout = FAKE_LLVM_19, .tracks_states = true}},
	{"published 19", {8, false}, {.layout = FAKE_LLVM_19, .published = true}},
	{"32 bit", {4, false}, {.layout = FAKE_LLVM_UNKNOWN, .tracks_states = true}},
	{"big endian", {8, true}, {.layout = FAKE_LLVM_19, .tracks_states = true}},
};
static const char *const scenarios[] = {"tasks", "serialized_thrice", "nested_three_deep"};

static struct fake_libomp *process_of(const struct fake_world *world, const char *scenario)
{
	static const int threads[] = {8, 4, 3, 2};
	struct fake_libomp *omp = fake_world_create(world, fake_scenario(scenario));

	fake_set_list(omp, fake_variable(omp, FAKE_VARIABLE___kmp_nested_nth), threads, 4);
	fake_set_text(omp, FAKE_VARIABLE___kmp_affinity_format, "bound to {%A}");
	fake_set_variable(omp, FAKE_VARIABLE___kmp_avail_proc, 12);
	fake_set_variable(omp, FAKE_VARIABLE___kmp_library, 2);
	fake_set_variable(omp, FAKE_VARIABLE___kmp_stksize, 1 << 20);
	return omp;
}

static ompd_rc_t take(struct fake_libomp *omp, struct answers *answers)
{
	struct fake_target *target = fake_libomp_target(omp);
	ompd_address_space_handle_t *handle;
	const ompd_rc_t rc = ompd_process_initialize(fake_context(target), &handle);

	memset(answers, 0, sizeof(*answers));
	if (rc != ompd_rc_ok)
		return rc;
	answers_take(answers, handle, target);
	assert_ok(ompd_rel_address_space_handle(handle));
	return ompd_rc_ok;
}

/* Until a fault is planned for a call that never comes. Returns the number of faults. */
static unsigned fail_each_call(struct fake_libomp *omp, const struct answers *truth,
			       struct fake_fault fault)
{
	bool struck = true;

	for (fault.nth = 1; struck; fault.nth += one_in()) {
		const struct answer *untrue;
		struct answers answers;

		fake_fault_plan(fault);
		(void)take(omp, &answers);
		struck = fake_fault_struck();
		fake_fault_clear();
		untrue = answers_untrue(&answers, truth);
		if (untrue)
			fail_msg("callbacks %#x fail with %d at %u: %s of %#x is untrue",
				 fault.callbacks, (int)fault.rc, fault.nth, untrue->routine,
				 untrue->subject);
		if (fake_live_blocks() || fake_violations())
			fail_msg("callbacks %#x fail with %d at %u: %u blocks are left, %s",
				 fault.callbacks, (int)fault.rc, fault.nth,
				 (unsigned)fake_live_blocks(), fake_first_violation());
		answers_free(&answers);
	}
	return fault.nth / one_in();
}

/* A process that stays small: each of its callbacks fails in turn. */
static void test_failing_callbacks(void **state)
{
	static const struct fake_fault faults[] = {
		{FAKE_ANY_CALLBACK, 0, false, ompd_rc_error},
		{FAKE_ANY_CALLBACK, 0, false, ompd_rc_stale_handle},
		{1u << FAKE_READ, 0, true, ompd_rc_error},
		{1u << FAKE_ALLOC, 0, true, ompd_rc_error},
		{1u << FAKE_ALLOC, 0, false, ompd_rc_ok},
		{1u << FAKE_READ_STRING, 0, true, ompd_rc_incomplete},
	};
	unsigned struck = 0;

	(void)state;
	for (size_t w = 0; w < sizeof(worlds) / sizeof(worlds[0]); w++) {
		struct fake_libomp *omp = process_of(&worlds[w], "serialized_thrice");
		struct answers truth;

		assert_ok(take(omp, &truth));
		assert_true(truth.count > 150);
		for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
			struck += fail_each_call(omp, &truth, faults[i]);
		answers_free(&truth);
		fake_process_destroy(omp);
	}
	print_message("%u faults injected\n", struck);
	assert_true(struck > 5000 / one_in());
}

/* Every word of what a task, its team and its thread are made of, replaced. */
static void damage(struct fake_libomp *omp, uint64_t start, uint64_t size, uint64_t other)
{
	struct fake_target *target = fake_libomp_target(omp);
	const uint64_t values[] = {0, UINT64_MAX, UINT64_C(0x7fffffff), 16, other, start};

	for (uint64_t at = start; at + 8 <= start + size; at += 8 * one_in()) {
		const uint64_t was = fake_get(target, at, 8);

		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			struct fake_counts counts;
			struct answers answers;

			if (values[i] == was)
				continue;
			fake_put(target, at, 8, values[i]);
			fake_counts_reset();
			(void)take(omp, &answers);
			counts = fake_counts();
			if (fake_calls(&counts) > CALLS_MAX)
				fail_msg("%u callbacks", fake_calls(&counts));
			if (fake_live_blocks() || fake_violations())
				fail_msg("%u blocks are left, %s", (unsigned)fake_live_blocks(),
					 fake_first_violation());
			answers_free(&answers);
		}
		fake_put(target, at, 8, was);
	}
}

static void test_damaged_memory(void **state)
{
	(void)state;
	for (size_t s = 0; s < sizeof(scenarios) / sizeof(scenarios[0]); s++) {
		struct fake_libomp *omp = process_of(&worlds[0], scenarios[s]);
		struct fake_thread *thread =
			fake_omp_thread(omp, fake_omp_thread_count(omp) > 1 ? 1 : 0);
		struct answers before, after;

		assert_ok(take(omp, &before));
		damage(omp, thread->task, fake_table_value(omp, FAKE_SIZEOF_kmp_taskdata_t) + 40,
		       thread->address);
		damage(omp, thread->region->team + 384, 544, thread->task);
		damage(omp, thread->address + 24, 560, thread->region->team);
		damage(omp, fake_variable(omp, FAKE_VARIABLE___kmp_nested_nth), 16, thread->task);
		damage(omp, fake_variable(omp, FAKE_VARIABLE___kmp_affinity_format) / 8 * 8, 8,
		       thread->task);
		assert_ok(take(omp, &after));
		assert_null(answers_untrue(&after, &before));
		assert_null(answers_untrue(&before, &after));
		answers_free(&before);
		answers_free(&after);
		fake_process_destroy(omp);
	}
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_failing_callbacks),
		OPENED(test_damaged_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
