/* SPDX-License-Identifier: Apache-2.0
 *
 * An OMPD library, loaded like any debugger would: by file name, each standard routine by its own name.
 */
#ifndef HOST_LIBRARY_H
#define HOST_LIBRARY_H

#include <ompd.h>

/* No code of OMPD's: the library has no such routine. */
#define RC_ABSENT ((ompd_rc_t)-1)

struct routines {
#define ROUTINE(name) __typeof__(&ompd_##name) name;
#include "routines.def"
#undef ROUTINE
};

/* ASK(routines, get_state, thread, &state, &wait): what the routine returns, RC_ABSENT when there is none. */
#define ASK(routines, name, ...) ((routines)->name ? (routines)->name(__VA_ARGS__) : RC_ABSENT)

/* Ends this program with a sentence when the library cannot be loaded. */
void library_load(const char *path, struct routines *ret);

/* A routine beside the standard ones, of the library that was loaded; NULL: it has none. */
void *library_extension(const char *name);

/* "ok", "unsupported", "absent"; the number of a code that OMPD does not have. */
const char *rc_name(ompd_rc_t rc);

#endif /* HOST_LIBRARY_H */
