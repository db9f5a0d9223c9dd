/* SPDX-License-Identifier: Apache-2.0
 *
 * A program on libgomp looks at itself, and makes its libgomp say that it is of another release: is each layout that is
 * not its own refused?
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <omp.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ompd-ext.h"
#include "own_process.h"

#define NAMES_MAX 64

/* Each layout, and the symbol version that alone makes a release one of it. */
static const struct {
	const char *layout, *version;
} claims[] = {
	{"gcc-4.8", "GOMP_3.0"}, {"gcc-4.9", "GOMP_4.0"}, {"gcc-5", "GOMP_4.0.1"},
	{"gcc-6", "GOMP_4.5"},   {"gcc-9", "GOMP_5.0"},   {"gcc-11", "GOMP_5.0.1"},
	{"gcc-12", "GOMP_5.1"},  {"gcc-13", "GOMP_6.0"},
};

/* What libgomp says of itself: the names of its symbol versions that tell a release, where they lie. */
static struct {
	char *at[NAMES_MAX];
	char original[NAMES_MAX][16];
	unsigned count;
} names;

static const ElfW(Dyn) * entry(const struct link_map *map, ElfW(Sxword) tag)
{
	const ElfW(Dyn) *found = map->l_ld;

	while (found->d_tag != tag && found->d_tag != DT_NULL)
		found++;
	assert_int_equal(found->d_tag, tag);
	return found;
}

static void find_names(void)
{
	struct link_map *map = NULL;
	Dl_info info;
	const char *definition;
	char *strings;

	assert_int_not_equal(
		dladdr1(dlsym(RTLD_DEFAULT, "GOMP_barrier"), &info, (void **)&map, RTLD_DL_LINKMAP),
		0);
	strings = (char *)entry(map, DT_STRTAB)->d_un.d_ptr;
	/* The C library makes addresses of the strings' place and of others, and not of this one's. */
	definition = (const char *)(map->l_addr + entry(map, DT_VERDEF)->d_un.d_ptr);
	for (ElfW(Xword) left = entry(map, DT_VERDEFNUM)->d_un.d_val; left > 0; left--) {
		const ElfW(Verdef) *version = (const void *)definition;
		const ElfW(Verdaux) *named = (const void *)(definition + version->vd_aux);
		char *name = strings + named->vda_name;

		if ((strncmp(name, "GOMP_", 5) == 0 && strncmp(name, "GOMP_PLUGIN", 11) != 0) ||
		    strncmp(name, "OACC_", 5) == 0) {
			assert_true(names.count < NAMES_MAX && strlen(name) < 16);
			names.at[names.count] = name;
			strcpy(names.original[names.count++], name);
		}
		definition += version->vd_next;
	}
	assert_true(names.count > 2);
	for (unsigned i = 0; i < names.count; i++) {
		/* Older linkers put them beside code. */
		const uintptr_t page = (uintptr_t)names.at[i] & ~(uintptr_t)(getpagesize() - 1);

		assert_int_equal(mprotect((void *)page, 2 * (size_t)getpagesize(),
					  PROT_READ | PROT_WRITE | PROT_EXEC),
				 0);
	}
}

/* All names become such as tell nothing, but for one. NULL: they are as they were. false: this library has no name as
 * long as that one. */
static bool claim(const char *version)
{
	bool claimed = false;

	for (unsigned i = 0; i < names.count; i++) {
		const size_t length = strlen(names.original[i]);
		const bool chosen = version && !claimed && length == strlen(version);

		memset(names.at[i], 'X', length);
		if (chosen || !version)
			strcpy(names.at[i], chosen ? version : names.original[i]);
		claimed = claimed || chosen;
	}
	return claimed;
}

static bool noted(ompd_address_space_handle_t *handle, const char *code)
{
	ompdx_diagnostics_t *diagnostics;
	bool found = false;

	assert_int_equal(ompdx_get_diagnostics(handle, &diagnostics), ompd_rc_ok);
	for (ompd_size_t i = 0; i < diagnostics->count; i++)
		found = found || strcmp(diagnostics->diagnostics[i].code, code) == 0;
	assert_int_equal(own_callbacks()->free_memory(diagnostics), ompd_rc_ok);
	return found;
}

/* The layout that is believed, "" if none is. */
static void look(char layout[16])
{
	ompdx_runtime_info_t info = {.size = sizeof(info)};
	ompd_address_space_handle_t *handle;
	ompdx_snapshot_handle_t *snapshot;
	ompd_rc_t rc;

	assert_int_equal(ompd_process_initialize(own_context(), &handle), ompd_rc_ok);
	assert_int_equal(ompdx_get_runtime_info(handle, &info), ompd_rc_ok);
	rc = ompdx_snapshot_create(handle, NULL, 0, &snapshot);
	assert_int_equal(rc, info.record[0] ? ompd_rc_ok : ompd_rc_unavailable);
	if (rc == ompd_rc_ok)
		assert_int_equal(ompdx_snapshot_destroy(snapshot), ompd_rc_ok);
	assert_int_equal(noted(handle, "layout_refuted"), rc != ompd_rc_ok);
	assert_true(strlen(info.record) < 16);
	strcpy(layout, info.record);
	assert_int_equal(ompd_rel_address_space_handle(handle), ompd_rc_ok);
}

/* Of two of one major version the size of thread-local data decides, whatever the names say. */
static bool same_major(const char *one, const char *other)
{
	const size_t length = strcspn(one, ".");

	return length == strcspn(other, ".") && strncmp(one, other, length) == 0;
}

static void test_other_layouts(void **state)
{
	char own[16], told[16];
	unsigned refused = 0;

	(void)state;
#pragma omp parallel num_threads(2)
	assert_true(omp_get_num_threads() > 0);
	assert_int_equal(ompd_initialize(202411, own_callbacks()), ompd_rc_ok);
	look(own);
	assert_string_not_equal(own, "");
	find_names();
	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		const bool is_own = same_major(claims[i].layout, own);

		if (!claim(claims[i].version))
			continue;
		look(told);
		assert_string_equal(told, is_own ? own : "");
		refused += !is_own;
	}
	assert_true(refused > 3);
	(void)claim(NULL);
	look(told);
	assert_string_equal(told, own);
	assert_int_equal(ompd_finalize(), ompd_rc_ok);
	assert_int_equal(own_live_blocks(), 0);
	print_message("%s: %u other layouts refused, 0 believed\n", own, refused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_other_layouts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
