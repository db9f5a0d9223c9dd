/* SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>

#include "fail.h"

static void *library;

void library_load(const char *path, struct routines *ret)
{
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		fail("cannot load the OMPD library: %s", dlerror());
#define ROUTINE(name) *(void **)&ret->name = dlsym(library, "ompd_" #name);
#include "routines.def"
#undef ROUTINE
	if (!ret->initialize || !ret->process_initialize)
		fail("%s is no OMPD library: it has no ompd_initialize and "
		     "ompd_process_initialize",
		     path);
}

void *library_extension(const char *name)
{
	return dlsym(library, name);
}

const char *rc_name(ompd_rc_t rc)
{
	static const char *const names[] = {
		[ompd_rc_ok] = "ok",
		[ompd_rc_unavailable] = "unavailable",
		[ompd_rc_stale_handle] = "stale_handle",
		[ompd_rc_bad_input] = "bad_input",
		[ompd_rc_error] = "error",
		[ompd_rc_unsupported] = "unsupported",
		[ompd_rc_needs_state_tracking] = "needs_state_tracking",
		[ompd_rc_incompatible] = "incompatible",
		[ompd_rc_device_read_error] = "device_read_error",
		[ompd_rc_device_write_error] = "device_write_error",
		[ompd_rc_nomem] = "nomem",
		[ompd_rc_incomplete] = "incomplete",
		[ompd_rc_callback_error] = "callback_error",
		[ompd_rc_incompatible_handle] = "incompatible_handle",
	};
	static char unknown[24];

	if (rc == RC_ABSENT)
		return "absent";
	if ((size_t)rc < sizeof(names) / sizeof(names[0]))
		return names[rc];
	snprintf(unknown, sizeof(unknown), "rc %d", (int)rc);
	return unknown;
}
