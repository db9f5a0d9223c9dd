/* SPDX-License-Identifier: Apache-2.0
 *
 * Every scenario in every world: do the standard routines and the view tell what the program would say?
 */
#include <stdio.h>
#include <stdlib.h>

#include "api_test.h"

/* NULL, or what is wrong. */
typedef const char *(*examination_fn)(const struct session *session);

/* Looks everywhere before it fails, so that one run shows all that is wrong. */
static void everywhere(examination_fn examine)
{
	unsigned failures = 0;

	for (size_t w = 0; w < fake_world_count; w++) {
		for (size_t s = 0; s < fake_scenario_count; s++) {
			struct session session =
				session_open_in(&fake_worlds[w], &fake_scenarios[s]);
			const char *wrong = examine(&session);

			if (!wrong && fake_violations())
				wrong = fake_first_violation();
			if (wrong) {
				print_error("%s: %s: %s\n", fake_worlds[w].name,
					    fake_scenarios[s].name, wrong);
				failures++;
			}
			session_close(&session);
		}
	}
	if (failures)
		fail_msg("%u of %zu wrong", failures, fake_world_count * fake_scenario_count);
}

static const char *examine_standard(const struct session *session)
{
	static char text[256];
	ompd_rc_t rc;
	const char *difference = check_standard(session->omp, session->handle, &rc);

	if (rc == ompd_rc_ok)
		return difference;
	snprintf(text, sizeof(text), "code %d from %s", (int)rc, check_failed_call());
	return text;
}

static void test_standard_routines(void **state)
{
	(void)state;
	everywhere(examine_standard);
}

static const char *compare_view(const struct session *session, const ompdx_native_thread_t *natives,
				size_t count)
{
	const char *difference;
	ompdx_snapshot_handle_t *snapshot;
	const ompdx_view_t *view;
	unsigned problems;

	if (check_snapshot(session->handle, natives, count, &snapshot, &view) != ompd_rc_ok)
		return "no view";
	difference = check_view(session->omp, view, natives ? CHECK_NATIVES : 0, &problems);
	assert_ok(ompdx_snapshot_destroy(snapshot));
	if (!difference && problems)
		return "something is marked as a problem";
	return difference;
}

static const char *examine_view(const struct session *session)
{
	size_t count;
	ompdx_native_thread_t *natives = check_natives(session->target, &count);
	const char *wrong = compare_view(session, natives, count);

	free(natives);
	return wrong;
}

static void test_view(void **state)
{
	(void)state;
	everywhere(examine_view);
}

static const char *examine_view_without_natives(const struct session *session)
{
	return compare_view(session, NULL, 0);
}

static void test_view_without_natives(void **state)
{
	(void)state;
	everywhere(examine_view_without_natives);
}

/* The tool knows kernel ids only, or thread pointers only. */
static const char *examine_with(const struct session *session, uint32_t known)
{
	size_t count;
	ompdx_native_thread_t *natives = check_natives(session->target, &count);
	const char *wrong;

	for (size_t i = 0; i < count; i++) {
		natives[i].known = known;
		natives[i].thread_pointer = natives[i].pthread_id;
		if (known != OMPDX_NATIVE_LWP)
			natives[i].lwp = 0;
		natives[i].pthread_id = 0;
	}
	wrong = compare_view(session, natives, count);
	free(natives);
	return wrong;
}

static const char *examine_with_lwps(const struct session *session)
{
	return examine_with(session, OMPDX_NATIVE_LWP);
}

static const char *examine_with_thread_pointers(const struct session *session)
{
	return examine_with(session, OMPDX_NATIVE_THREAD_POINTER);
}

static void test_view_by_other_ids(void **state)
{
	(void)state;
	everywhere(examine_with_lwps);
	everywhere(examine_with_thread_pointers);
}

/* The program goes on: the same address space answers for what is there now. */
static void test_while_the_program_goes_on(void **state)
{
	struct session session = session_open("parallel");
	struct fake_thread *primary = fake_omp_thread(session.omp, 0);

	(void)state;
	assert_null(examine_standard(&session));
	fake_end(primary->region);
	assert_null(examine_standard(&session));
	assert_null(examine_view(&session));
	fake_parallel(primary, 2);
	fake_serialized(primary);
	assert_null(examine_standard(&session));
	fake_parallel(fake_root(session.omp), 7);
	assert_null(examine_standard(&session));
	assert_null(examine_view(&session));
	session_close(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_standard_routines, library_open,
						library_close),
		cmocka_unit_test_setup_teardown(test_view, library_open, library_close),
		cmocka_unit_test_setup_teardown(test_view_without_natives, library_open,
						library_close),
		cmocka_unit_test_setup_teardown(test_view_by_other_ids, library_open,
						library_close),
		cmocka_unit_test_setup_teardown(test_while_the_program_goes_on, library_open,
						library_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
