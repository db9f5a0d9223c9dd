/* SPDX-License-Identifier: Apache-2.0
 *
 * Does the fake notice what it is there to notice? Tests that rely on it would else pass for ever.
 */
/* cmocka wants these first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "fake_debugger.h"
#include "fake_libomp.h"
#include "fake_scenarios.h"

static const struct fake_machine little_64 = {8, false};
static const struct fake_machine big_32 = {4, true};

static ompd_rc_t read_at(struct fake_target *target, uint64_t address, ompd_size_t size,
			 void *buffer)
{
	const ompd_address_t from = {ompd_segment_none, address};

	return fake_callbacks()->read_memory(fake_context(target), NULL, &from, size, buffer);
}

static int reset(void **state)
{
	(void)state;
	fake_debugger_reset();
	return 0;
}

static void test_memory(void **state)
{
	struct fake_target *target = fake_target_create(little_64);
	uint8_t bytes[64];

	(void)state;
	fake_map(target, 0x1000, 0x100);
	fake_map(target, 0x1100, 0x100);
	fake_put(target, 0x10fc, 8, UINT64_C(0x1122334455667788));
	/* Across two segments that touch. */
	assert_int_equal(read_at(target, 0x10fc, 8, bytes), ompd_rc_ok);
	assert_int_equal(bytes[0], 0x88);
	assert_int_equal(bytes[7], 0x11);
	/* Before, behind and across the end. */
	assert_int_equal(read_at(target, 0xfff, 1, bytes), ompd_rc_error);
	assert_int_equal(read_at(target, 0x1200, 1, bytes), ompd_rc_error);
	assert_int_equal(read_at(target, 0x11ff, 2, bytes), ompd_rc_error);
	assert_int_equal(read_at(target, UINT64_MAX - 1, 8, bytes), ompd_rc_error);
	fake_hide(target, 0x1010, 4);
	assert_int_equal(read_at(target, 0x1000, 16, bytes), ompd_rc_ok);
	assert_int_equal(read_at(target, 0x1000, 17, bytes), ompd_rc_error);
	assert_int_equal(read_at(target, 0x1014, 4, bytes), ompd_rc_ok);
	fake_unhide_all(target);
	assert_int_equal(read_at(target, 0x1000, 17, bytes), ompd_rc_ok);
	assert_int_equal(fake_violations(), 0);
	fake_target_destroy(target);
}

static void test_byte_order(void **state)
{
	struct fake_target *target = fake_target_create(big_32);
	uint8_t bytes[4];
	uint32_t number;

	(void)state;
	fake_map(target, 0x1000, 16);
	fake_put_pointer(target, 0x1000, 0x01020304);
	assert_int_equal(read_at(target, 0x1000, 4, bytes), ompd_rc_ok);
	assert_int_equal(bytes[0], 1);
	assert_int_equal(bytes[3], 4);
	assert_int_equal(fake_get(target, 0x1002, 2), 0x0304);
	assert_int_equal(
		fake_callbacks()->device_to_host(fake_context(target), bytes, 4, 1, &number),
		ompd_rc_ok);
	assert_int_equal(number, 0x01020304);
	assert_int_equal(
		fake_callbacks()->host_to_device(fake_context(target), &number, 2, 2, bytes),
		ompd_rc_ok);
	/* Two units of two bytes each: 0x0304 and 0x0102 in the host's memory. */
	assert_int_equal(bytes[0], 3);
	assert_int_equal(bytes[2], 1);
	fake_target_destroy(target);
}

static void test_strings(void **state)
{
	struct fake_target *target = fake_target_create(little_64);
	const ompd_address_t from = {ompd_segment_none, 0x1000};
	char text[8];

	(void)state;
	fake_map(target, 0x1000, 6);
	fake_put_string(target, 0x1000, "word");
	assert_int_equal(fake_callbacks()->read_string(fake_context(target), NULL, &from, 8, text),
			 ompd_rc_ok);
	assert_string_equal(text, "word");
	assert_int_equal(fake_callbacks()->read_string(fake_context(target), NULL, &from, 4, text),
			 ompd_rc_incomplete);
	fake_write(target, 0x1000, "endless", 6);
	assert_int_equal(fake_callbacks()->read_string(fake_context(target), NULL, &from, 8, text),
			 ompd_rc_error);
	fake_target_destroy(target);
}

static void test_leaks(void **state)
{
	void *first, *second;

	(void)state;
	assert_int_equal(fake_callbacks()->alloc_memory(10, &first), ompd_rc_ok);
	assert_int_equal(fake_callbacks()->alloc_memory(1, &second), ompd_rc_ok);
	assert_int_equal(fake_live_blocks(), 2);
	/* Contents undefined: not zero. */
	assert_int_not_equal(((uint8_t *)first)[9], 0);
	assert_int_equal((uintptr_t)first % 16, 0);
	assert_int_equal(fake_callbacks()->free_memory(first), ompd_rc_ok);
	assert_int_equal(fake_live_blocks(), 1);
	assert_int_equal(fake_callbacks()->free_memory(second), ompd_rc_ok);
	assert_int_equal(fake_live_blocks(), 0);
	assert_int_equal(fake_violations(), 0);
}

static void test_misuse_of_memory(void **state)
{
	uint8_t *block;

	(void)state;
	assert_int_equal(fake_callbacks()->alloc_memory(10, (void **)&block), ompd_rc_ok);
	block[10] = 1;
	assert_int_equal(fake_violations(), 1);
	block[10] = 0x5c;
	assert_int_equal(fake_callbacks()->free_memory(block), ompd_rc_ok);
	assert_int_not_equal(fake_callbacks()->free_memory(block), ompd_rc_ok);
	assert_int_equal(fake_violations(), 2);
	assert_int_not_equal(fake_callbacks()->alloc_memory(0, (void **)&block), ompd_rc_ok);
	assert_int_equal(fake_violations(), 3);
}

static void test_stale_contexts(void **state)
{
	struct fake_target *target = fake_target_create(little_64);
	struct fake_target *other = fake_target_create(little_64);
	ompd_address_space_context_t *context = fake_context(target);
	const uint64_t id = fake_native_thread(other);
	const ompd_address_t from = {ompd_segment_none, id};
	ompd_device_type_sizes_t sizes;
	ompd_thread_context_t *thread;
	uint8_t byte;

	(void)state;
	assert_int_equal(fake_callbacks()->get_thread_context_for_thread_id(
				 fake_context(other), OMPD_THREAD_ID_PTHREAD, 8, &id, &thread),
			 ompd_rc_ok);
	assert_int_equal(
		fake_callbacks()->read_memory(fake_context(other), thread, &from, 1, &byte),
		ompd_rc_ok);
	assert_int_equal(fake_violations(), 0);
	/* Used for another process, and after the routine that asked for it. */
	fake_callbacks()->read_memory(context, thread, &from, 1, &byte);
	assert_int_equal(fake_violations(), 1);
	fake_expire_thread_contexts();
	fake_callbacks()->read_memory(fake_context(other), thread, &from, 1, &byte);
	assert_int_equal(fake_violations(), 2);
	fake_target_destroy(target);
	assert_int_equal(fake_callbacks()->sizeof_type(context, &sizes), ompd_rc_stale_handle);
	assert_int_equal(fake_violations(), 3);
	fake_target_destroy(other);
}

static void test_thread_ids(void **state)
{
	struct fake_target *target = fake_target_create(big_32);
	const uint64_t id = fake_native_thread(target);
	ompd_thread_context_t *thread;
	uint8_t bytes[4];

	(void)state;
	fake_encode(big_32, id, 4, bytes);
#define LOOK_UP(kind, size)                                                                        \
	fake_callbacks()->get_thread_context_for_thread_id(fake_context(target), kind, size,       \
							   bytes, &thread)
	assert_int_equal(LOOK_UP(OMPD_THREAD_ID_PTHREAD, 4), ompd_rc_ok);
	assert_int_equal(LOOK_UP(OMPD_THREAD_ID_PTHREAD, 8), ompd_rc_bad_input);
	assert_int_equal(LOOK_UP(OMPD_THREAD_ID_LWP, 4), ompd_rc_unavailable);
	assert_int_equal(LOOK_UP(OMPD_THREAD_ID_WINTHREAD, 4), ompd_rc_unsupported);
	fake_encode(big_32, fake_lwp_of(target, 0), 4, bytes);
	assert_int_equal(LOOK_UP(OMPD_THREAD_ID_LWP, 4), ompd_rc_ok);
	fake_know_lwps(false);
	assert_int_equal(LOOK_UP(OMPD_THREAD_ID_LWP, 4), ompd_rc_unsupported);
	fake_target_destroy(target);
}

static void test_faults(void **state)
{
	struct fake_target *target = fake_target_create(little_64);
	uint8_t byte;
	void *block;

	(void)state;
	fake_map(target, 0x1000, 16);
	fake_fault_plan((struct fake_fault){1u << FAKE_READ, 2, false, ompd_rc_error});
	assert_int_equal(read_at(target, 0x1000, 1, &byte), ompd_rc_ok);
	assert_false(fake_fault_struck());
	/* Others do not count. */
	assert_int_equal(fake_callbacks()->alloc_memory(1, &block), ompd_rc_ok);
	assert_int_equal(read_at(target, 0x1000, 1, &byte), ompd_rc_error);
	assert_true(fake_fault_struck());
	assert_int_equal(read_at(target, 0x1000, 1, &byte), ompd_rc_ok);

	fake_fault_plan((struct fake_fault){FAKE_ANY_CALLBACK, 1, true, ompd_rc_stale_handle});
	assert_false(fake_fault_struck());
	assert_int_equal(read_at(target, 0x1000, 1, &byte), ompd_rc_stale_handle);
	assert_int_equal(fake_callbacks()->alloc_memory(1, &block), ompd_rc_stale_handle);
	/* It is freed all the same. */
	assert_int_equal(fake_callbacks()->free_memory(block), ompd_rc_stale_handle);
	assert_int_equal(fake_live_blocks(), 0);
	fake_fault_clear();
	assert_int_equal(read_at(target, 0x1000, 1, &byte), ompd_rc_ok);
	assert_int_equal(fake_violations(), 0);
	fake_target_destroy(target);
}

static void test_counts(void **state)
{
	struct fake_target *target = fake_target_create(little_64);
	struct fake_counts counts;
	ompd_address_t address;
	uint8_t bytes[16];

	(void)state;
	fake_map(target, 0x1000, 16);
	read_at(target, 0x1000, 16, bytes);
	fake_callbacks()->symbol_addr_lookup(fake_context(target), NULL, "none", &address, NULL);
	counts = fake_counts();
	assert_int_equal(counts.calls[FAKE_READ], 1);
	assert_int_equal(counts.calls[FAKE_LOOKUP], 1);
	assert_int_equal(counts.bytes_read, 16);
	assert_int_equal(fake_calls(&counts), 2);
	fake_counts_reset();
	counts = fake_counts();
	assert_int_equal(fake_calls(&counts), 0);
	fake_target_destroy(target);
}

static void test_symbols(void **state)
{
	struct fake_target *target = fake_target_create(little_64);
	uint64_t address = 0;

	(void)state;
	fake_add_symbol(target, "/one.so", "name", 1);
	fake_add_symbol(target, "/two.so", "name", 2);
	assert_true(fake_find_symbol(target, NULL, "name", &address));
	assert_int_equal(address, 1);
	assert_true(fake_find_symbol(target, "/two.so", "name", &address));
	assert_int_equal(address, 2);
	/* A library that has none: then as without a library. */
	assert_true(fake_find_symbol(target, "/three.so", "name", &address));
	assert_int_equal(address, 1);
	fake_forget_symbol(target, "name");
	assert_false(fake_find_symbol(target, NULL, "name", &address));
	fake_target_destroy(target);
}

/* ---- The fake libomp ---- */

#define GET(structure, type, member) fake_get_member(omp, structure, FAKE_OFFSET_##type##__##member)

/* What the rules of libomp say of every scenario in every world, read back from memory. */
static void check_consistent(const struct fake_libomp *omp)
{
	for (size_t i = 0; i < fake_omp_thread_count(omp); i++) {
		const struct fake_thread *thread = fake_omp_thread(omp, i);
		const uint64_t team = GET(thread->address, kmp_base_info_t, th_team);

		assert_int_equal(GET(thread->address, kmp_desc_base_t, ds_thread),
				 thread->pthread_id);
		if (!thread->region)
			continue;
		assert_int_equal(GET(thread->address, kmp_base_info_t, th_current_task),
				 thread->task);
		/* A task is its team's, but between the teams of a league. */
		assert_int_equal(GET(thread->task, kmp_taskdata_t, td_team), team);
		assert_int_equal(GET(team, kmp_base_team_t, t_level), thread->region->level);
		assert_int_equal(GET(team, kmp_base_team_t, t_active_level),
				 thread->region->active_level);
		assert_ptr_equal(fake_member(thread->region, thread->thread_num)->region,
				 thread->region);
	}
	for (const struct fake_region *region = fake_regions(omp); region; region = region->next) {
		if (region->ended)
			continue;
		for (int k = 0; k < region->team_size; k++)
			assert_non_null(fake_member(region, k));
		if (region->parent) {
			assert_int_equal(region->level - region->parent->level,
					 region->generator == ompd_generator_parallel);
			assert_in_range(region->primary_num, 0, region->parent->team_size - 1);
		}
	}
}

static void test_scenarios_are_consistent(void **state)
{
	(void)state;
	for (size_t w = 0; w < fake_world_count; w++) {
		for (size_t s = 0; s < fake_scenario_count; s++) {
			struct fake_libomp *omp =
				fake_world_create(&fake_worlds[w], &fake_scenarios[s]);

			check_consistent(omp);
			fake_process_destroy(omp);
		}
	}
}

/* The table is where it is said to be, in both orders, and nowhere before the program uses OpenMP. */
static void test_table(void **state)
{
	(void)state;
	for (unsigned reversed = 0; reversed < 2; reversed++) {
		struct fake_libomp *omp = fake_process_create(
			little_64, (struct fake_libomp_options){.layout = FAKE_LLVM_14,
								.reversed = reversed != 0});
		struct fake_target *target = fake_libomp_target(omp);
		const uint64_t first = fake_table_address(omp, 0);
		const uint64_t second = fake_table_address(omp, 1);

		assert_int_equal(second - first, reversed ? (uint64_t)-8 : 8);
		assert_int_equal(fake_get(target, first, 8), 0);
		assert_int_equal(fake_get(target, fake_threads_variable(omp), 8), 0);
		fake_root(omp);
		for (enum fake_table_word word = 0; word < FAKE_TABLE_WORDS; word++)
			assert_int_equal(fake_get(target, fake_table_address(omp, word), 8),
					 fake_table_value(omp, word));
		assert_int_equal(fake_get(target, fake_threads_variable(omp), 8),
				 fake_threads_array(omp));
		fake_process_destroy(omp);
	}
	assert_int_equal(FAKE_TABLE_WORDS, 145);
}

int main(void)
{
#define FRESH(test) cmocka_unit_test_setup_teardown(test, reset, reset)
	const struct CMUnitTest tests[] = {
		FRESH(test_memory),
		FRESH(test_byte_order),
		FRESH(test_strings),
		FRESH(test_leaks),
		FRESH(test_misuse_of_memory),
		FRESH(test_stale_contexts),
		FRESH(test_thread_ids),
		FRESH(test_faults),
		FRESH(test_counts),
		FRESH(test_symbols),
		FRESH(test_scenarios_are_consistent),
		FRESH(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
