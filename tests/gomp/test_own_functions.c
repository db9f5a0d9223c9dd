/* SPDX-License-Identifier: Apache-2.0
 *
 * A program on libgomp looks at itself: are the entry points that the library lists those that the dynamic linker
 * finds?
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <omp.h>
#include <string.h>

#include "ompd-ext.h"
#include "own_process.h"

static const ompdx_entry_point_t *listed(const ompdx_entry_points_t *points, const char *name,
					 uint64_t address)
{
	for (ompd_size_t i = 0; i < points->count; i++) {
		const ompdx_entry_point_t *point =
			(const void *)((const char *)points->entry_points +
				       i * points->entry_points[0].size);

		if (strcmp(point->name, name) == 0 && (address == 0 || point->address == address))
			return point;
	}
	return NULL;
}

static void test_entry_points(void **state)
{
	static const char *const names[] = {"GOMP_parallel_start", "GOMP_barrier",
					    "GOMP_critical_start", "omp_set_lock",
					    "omp_get_thread_num_", "omp_get_wtick"};
	ompd_address_space_handle_t *handle;
	ompdx_entry_points_t *points;
	unsigned functions = 0;

	(void)state;
	assert_int_equal(omp_get_thread_num(), 0);
	assert_int_equal(ompd_initialize(202411, own_callbacks()), ompd_rc_ok);
	assert_int_equal(ompd_process_initialize(own_context(), &handle), ompd_rc_ok);
	assert_int_equal(ompdx_entry_points(handle, &points), ompd_rc_ok);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *const address = dlsym(RTLD_DEFAULT, names[i]);

		assert_non_null(address);
		assert_non_null(listed(points, names[i], (uint64_t)(uintptr_t)address));
	}
	for (ompd_size_t i = 0; i < points->count; i++) {
		const ompdx_entry_point_t *point = &points->entry_points[i];
		void *const known = dlsym(RTLD_DEFAULT, point->name);
		Dl_info info;

		/* Old versions of a name are not found by the name alone, but are functions. */
		assert_non_null(known);
		assert_non_null(listed(points, point->name, (uint64_t)(uintptr_t)known));
		assert_int_not_equal(dladdr((void *)(uintptr_t)point->address, &info), 0);
		assert_non_null(strstr(info.dli_fname, "gomp"));
		assert_true((uint64_t)(uintptr_t)info.dli_saddr == point->address);
		functions += point->function_class == ompdx_function_entry;
	}
	/* GCC 4.8's has fewest. */
	assert_true(functions > 100);
	assert_int_equal(own_callbacks()->free_memory(points), ompd_rc_ok);
	assert_int_equal(ompd_rel_address_space_handle(handle), ompd_rc_ok);
	assert_int_equal(ompd_finalize(), ompd_rc_ok);
	assert_int_equal(own_live_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_entry_points)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
