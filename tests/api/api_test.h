/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the public routines share: cmocka, a library that is open, and what has to hold when
 * it is closed again.
 */
#ifndef API_TEST_H
#define API_TEST_H

/* cmocka wants these first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check.h"
#include "fake_debugger.h"
#include "fake_libomp.h"
#include "fake_scenarios.h"
#include "ompd-ext.h"
#include "ompd.h"

#define OPENMP_5_0 201811
#define OPENMP_5_1 202011
#define OPENMP_5_2 202111
#define OPENMP_6_0 202411

/* Setup and teardown of a test: a library for a tool of OpenMP 6.0; afterwards it must have freed what
 * it allocated and broken no rule. */
int library_open(void **state);
int library_close(void **state);

void library_open_as(ompd_word_t api_version);
/* Finalizes and fails the test for leaks and violations. */
void library_close_clean(void);

/* Whether the library noted this, of an address space or (NULL) of the last attempt to open one. */
bool noted(ompd_address_space_handle_t *handle, const char *code);

/* Of how many faults one is tried: under sanitizers, where a fault takes some twenty times as long, the environment
 * asks for fewer by OMPD_FAULTS_ONE_IN. */
unsigned one_in(void);

/* The process of a world in which a scenario has run, and its address space. */
struct session {
	struct fake_libomp *omp;
	struct fake_target *target;
	ompd_address_space_handle_t *handle;
};

struct session session_open(const char *scenario);
struct session session_open_in(const struct fake_world *world,
			       const struct fake_scenario *scenario);
void session_close(struct session *session);

/* Handles of a thread of the truth, and of its region and task. */
ompd_thread_handle_t *thread_handle(const struct session *session,
				    const struct fake_thread *thread);
ompd_parallel_handle_t *region_handle(const struct session *session,
				      const struct fake_thread *thread);
ompd_task_handle_t *task_handle(const struct session *session, const struct fake_thread *thread);

#define assert_rc(expression, expected) assert_int_equal((expression), (expected))
#define assert_ok(expression) assert_int_equal((expression), ompd_rc_ok)

/* What an output holds that a routine must not touch when it fails. */
#define UNTOUCHED ((void *)(uintptr_t)0x5a5a5a50)

#endif /* API_TEST_H */
