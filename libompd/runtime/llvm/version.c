/* SPDX-License-Identifier: Apache-2.0
 *
 * Which release is this libomp? Its own version string has said "5.0.20140926" since 2014; the names that
 * it exports tell.
 */
#include <string.h>

#include "runtime/llvm/answers.h"
#include "runtime/llvm/llvm.h"
#include "target/image_tables.h"

/* The first release that exports the name; newest first. 20 brought no name of its own that we know of,
 * so a 20 counts as 19. */
static const struct {
	int32_t version;
	const char *name;
} first_exports[] = {
	{23, "omp_get_dyn_gprivate_ptr"},
	{22, "omp_get_uid_from_device"},
	{21, "kmp_max_mem_space"},
	{19, "__kmpc_dispatch_deinit"},
	{18, "__kmpc_set_thread_limit"},
	{17, "__kmpc_for_collapsed_init"},
	{16, "__kmpc_fork_call_if"},
	{15, "__kmpc_sections_init"},
	{14, "__kmpc_scope"},
	{13, "__kmpc_error"},
};

ompd_rc_t llvm_version(struct image *image, int32_t *ret)
{
	target_addr ignored;
	/* A program that libomp is linked into exports none of its names. */
	ompd_rc_t exports = image->dynamic ? image_exported(image, "__kmpc_fork_call", &ignored)
					   : ompd_rc_unavailable;

	for (size_t i = 0; i < sizeof(first_exports) / sizeof(first_exports[0]); i++) {
		const ompd_rc_t rc =
			exports == ompd_rc_ok
				? image_exported(image, first_exports[i].name, &ignored)
				: image_symbol(image, first_exports[i].name, &ignored);

		if (rc == ompd_rc_ok)
			*ret = first_exports[i].version;
		/* Unreadable: an older name would be found no more surely. */
		if (rc != ompd_rc_unavailable)
			return rc;
	}
	/* The debugger may know the names of an image that cannot be read, and need not. */
	return exports == ompd_rc_ok ? ompd_rc_unavailable : exports;
}

bool llvm_is_libiomp(const struct image *image)
{
	static const char name[] = "libiomp";
	char own[SYMBOL_NAME_MAX];
	struct version_walk walk;

	/* The first version is the library's own name. */
	versions_first(&walk, image);
	return versions_next(&walk, own) == ompd_rc_ok && strncmp(own, name, strlen(name)) == 0;
}
