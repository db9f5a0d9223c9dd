/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP 6.0, 41.1: opening and closing the library.
 */
#include "library.h"
#include "address_space.h"
#include "api/display_control.h"
#include "snapshot.h"
#include "target/callbacks.h"

/* Written at each build, with its commit. */
#ifdef OMPD_VERSION_HEADER
#include OMPD_VERSION_HEADER
#else
#define OMPD_VERSION_STRING "unversioned build"
#endif

static bool api_version_supported(ompd_word_t version)
{
	return version == OMPD_5_0 || version == OMPD_5_1 || version == OMPD_5_2 ||
	       version == OMPD_6_0;
}

/* Called again it takes the new table and version in place of the old ones; what the tool holds stays. */
ompd_rc_t ompd_initialize(ompd_word_t api_version, const ompd_callbacks_t *callbacks)
{
	if (!callbacks || !callbacks_complete(callbacks))
		return ompd_rc_bad_input;
	if (!api_version_supported(api_version))
		return ompd_rc_unsupported;
	callbacks_use(callbacks);
	library.api_version = api_version;
	library.initialized = true;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_api_version(ompd_word_t *version)
{
	if (!version)
		return ompd_rc_bad_input;
	*version = OMPD_6_0;
	return ompd_rc_ok;
}

ompd_rc_t ompd_get_version_string(const char **string)
{
	if (!string)
		return ompd_rc_bad_input;
	*string = "libompd " OMPD_VERSION_STRING;
	return ompd_rc_ok;
}

ompd_rc_t ompd_finalize(void)
{
	if (!library.initialized)
		return ompd_rc_unsupported;
	for (int i = 0; i < LIBRARY_SPACES_MAX; i++) {
		if (library.spaces[i]) {
			snapshots_destroy(library.spaces[i]);
			address_space_destroy(library.spaces[i]);
		}
	}
	control_vars_free();
	library.initialized = false;
	diagnostics_clear(&library.diagnostics);
	callbacks_forget();
	return ompd_rc_ok;
}
