/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "api_test.h"

void library_open_as(ompd_word_t api_version)
{
	/* A test that failed before this one may have left it open. */
	(void)ompd_finalize();
	fake_debugger_reset();
	assert_ok(ompd_initialize(api_version, fake_callbacks()));
}

void library_close_clean(void)
{
	assert_ok(ompd_finalize());
	assert_string_equal(fake_first_violation(), "");
	assert_int_equal(fake_violations(), 0);
	assert_int_equal(fake_live_blocks(), 0);
	fake_debugger_reset();
}

int library_open(void **state)
{
	(void)state;
	library_open_as(OPENMP_6_0);
	return 0;
}

int library_close(void **state)
{
	(void)state;
	library_close_clean();
	return 0;
}

struct session session_open_in(const struct fake_world *world, const struct fake_scenario *scenario)
{
	struct session session = {.omp = fake_world_create(world, scenario)};

	session.target = fake_libomp_target(session.omp);
	assert_ok(ompd_process_initialize(fake_context(session.target), &session.handle));
	return session;
}

bool noted(ompd_address_space_handle_t *handle, const char *code)
{
	ompdx_diagnostics_t *diagnostics;
	bool found = false;

	assert_ok(ompdx_get_diagnostics(handle, &diagnostics));
	assert_true(diagnostics->size >= sizeof(*diagnostics));
	for (ompd_size_t i = 0; i < diagnostics->count; i++) {
		const ompdx_diagnostic_t *diagnostic =
			(const void *)((const char *)diagnostics->diagnostics +
				       i * diagnostics->diagnostics->size);

		assert_non_null(diagnostic->subject);
		assert_true(strlen(diagnostic->text) > 20);
		found = found || strcmp(diagnostic->code, code) == 0;
	}
	assert_ok(fake_callbacks()->free_memory(diagnostics));
	return found;
}

unsigned one_in(void)
{
	const char *said = getenv("OMPD_FAULTS_ONE_IN");
	const unsigned number = said ? (unsigned)strtoul(said, NULL, 10) : 1;

	return number ? number : 1;
}

struct session session_open(const char *scenario)
{
	static const struct fake_world world = {
		"stripped 19", {8, false}, {.layout = FAKE_LLVM_19}};

	return session_open_in(&world, fake_scenario(scenario));
}

void session_close(struct session *session)
{
	assert_ok(ompd_rel_address_space_handle(session->handle));
	fake_process_destroy(session->omp);
}

ompd_thread_handle_t *thread_handle(const struct session *session, const struct fake_thread *thread)
{
	ompd_thread_handle_t *handle;

	assert_ok(
		check_thread_handle(session->handle, session->target, thread->pthread_id, &handle));
	return handle;
}

ompd_parallel_handle_t *region_handle(const struct session *session,
				      const struct fake_thread *thread)
{
	ompd_thread_handle_t *of_thread = thread_handle(session, thread);
	ompd_parallel_handle_t *handle;

	assert_ok(ompd_get_curr_parallel_handle(of_thread, &handle));
	assert_ok(ompd_rel_thread_handle(of_thread));
	return handle;
}

ompd_task_handle_t *task_handle(const struct session *session, const struct fake_thread *thread)
{
	ompd_thread_handle_t *of_thread = thread_handle(session, thread);
	ompd_task_handle_t *handle;

	assert_ok(ompd_get_curr_task_handle(of_thread, &handle));
	assert_ok(ompd_rel_thread_handle(of_thread));
	return handle;
}
