/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a runtime more no more than its own files and a line of the registry? And what becomes of the questions to which
 * it has no answer?
 */
#include "api_test.h"
#include "made_up.h"

#define BASE UINT64_C(0x7f0030000000)

struct process {
	struct fake_target *target;
	uint64_t pthread;
	ompd_address_space_handle_t *space;
	ompd_thread_handle_t *thread;
};

static struct fake_target *target_create(uint64_t *pthread)
{
	static const struct fake_export exports[] = {{MADE_UP_ENTRY, 0x100}};
	struct fake_target *target = fake_target_create((struct fake_machine){8, false});
	const struct fake_elf elf = {.path = "/opt/made_up/libmade_up.so",
				     .base = BASE,
				     .exports = exports,
				     .export_count = 1,
				     .text_size = 0x1000,
				     .data_size = 0x1000};
	const struct fake_image images[] = {fake_executable_load(target), fake_libc_load(target),
					    fake_elf_load(target, &elf)};

	fake_link_map(target, images, sizeof(images) / sizeof(images[0]));
	*pthread = fake_native_thread(target);
	return target;
}

static struct process process_open(void)
{
	struct process process;

	process.target = target_create(&process.pthread);
	assert_ok(ompd_process_initialize(fake_context(process.target), &process.space));
	assert_ok(check_thread_handle(process.space, process.target, process.pthread,
				      &process.thread));
	return process;
}

static void process_close(struct process *process)
{
	assert_ok(ompd_rel_thread_handle(process->thread));
	assert_ok(ompd_rel_address_space_handle(process->space));
	fake_target_destroy(process->target);
}

static void test_is_found(void **state)
{
	uint64_t pthread;
	struct fake_target *target = target_create(&pthread);
	ompdx_runtimes_t *runtimes;

	(void)state;
	assert_ok(ompdx_find_runtimes(fake_context(target), NULL, 0, &runtimes));
	assert_int_equal(runtimes->count, 1);
	assert_int_equal(runtimes->runtimes[0].kind, MADE_UP_KIND);
	assert_int_equal(runtimes->runtimes[0].version, MADE_UP_VERSION);
	assert_int_equal(runtimes->runtimes[0].image.load_bias, BASE);
	assert_int_equal(fake_callbacks()->free_memory(runtimes), ompd_rc_ok);
	fake_target_destroy(target);
}

/* The handles by which the ICV of a scope can be asked for. */
static void *handle_of_scope(const struct process *process, ompd_word_t scope)
{
	if (scope == ompd_scope_address_space || scope == ompd_scope_global)
		return process->space;
	return scope == ompd_scope_thread ? process->thread : NULL;
}

/* It cannot tell a thread's task, whose ICVs most are. */
static void test_icvs_of_a_thread_whose_task_is_not_known(void **state)
{
	struct process process = process_open();
	ompd_icv_id_t icv = 0;
	int more = 1;
	unsigned told = 0, unsupported = 0;

	(void)state;
	while (more) {
		const char *name;
		ompd_scope_t scope;
		ompd_word_t value = 0;
		void *handle;
		ompd_rc_t rc;

		assert_ok(ompd_enumerate_icvs(process.space, icv, &icv, &name, &scope, &more));
		assert_int_equal(fake_callbacks()->free_memory((void *)(uintptr_t)name),
				 ompd_rc_ok);
		handle = handle_of_scope(&process, scope);
		if (handle) {
			rc = ompd_get_icv_from_scope(handle, scope, icv, &value);
			told += rc == ompd_rc_ok;
			assert_true(rc == ompd_rc_ok ? value == MADE_UP_VALUE
						     : rc == ompd_rc_incompatible);
		}
		if (scope == ompd_scope_task) {
			assert_rc(ompd_get_icv_from_scope(process.thread, ompd_scope_thread, icv,
							  &value),
				  ompd_rc_unsupported);
			unsupported++;
		}
	}
	assert_true(told > 10 && unsupported > 5);
	process_close(&process);
}

static void test_display_control(void **state)
{
	struct process process = process_open();
	const char *const *variables = NULL;

	(void)state;
	assert_ok(ompd_get_display_control_vars(process.space, &variables));
	assert_non_null(variables[0]);
	assert_ok(ompd_rel_display_control_vars(&variables));
	process_close(&process);
}

static void test_all_else_is_unsupported(void **state)
{
	struct process process = process_open();
	uint64_t id = process.pthread;
	ompd_parallel_handle_t *region = UNTOUCHED;
	ompd_task_handle_t *task = UNTOUCHED;
	ompd_thread_handle_t *thread = UNTOUCHED;
	ompdx_snapshot_handle_t *snapshot = UNTOUCHED;
	ompd_wait_id_t wait = 0;
	ompd_word_t word = 0;

	(void)state;
	assert_rc(ompd_get_omp_version(process.space, &word), ompd_rc_unsupported);
	assert_rc(
		ompd_get_thread_handle(process.space, OMPD_THREAD_ID_LWP, sizeof(id), &id, &thread),
		ompd_rc_unsupported);
	assert_rc(ompd_get_thread_id(process.thread, OMPD_THREAD_ID_PTHREAD, sizeof(id), &id),
		  ompd_rc_unsupported);
	assert_rc(ompd_get_curr_parallel_handle(process.thread, &region), ompd_rc_unsupported);
	assert_rc(ompd_get_curr_task_handle(process.thread, &task), ompd_rc_unsupported);
	assert_rc(ompd_get_state(process.thread, &word, &wait), ompd_rc_unsupported);
	assert_rc(ompdx_snapshot_create(process.space, NULL, 0, &snapshot), ompd_rc_unsupported);
	assert_ptr_equal(region, UNTOUCHED);
	assert_ptr_equal(task, UNTOUCHED);
	assert_ptr_equal(thread, UNTOUCHED);
	assert_ptr_equal(snapshot, UNTOUCHED);
	process_close(&process);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_is_found),
		OPENED(test_icvs_of_a_thread_whose_task_is_not_known),
		OPENED(test_display_control),
		OPENED(test_all_else_is_unsupported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
