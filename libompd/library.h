/* SPDX-License-Identifier: Apache-2.0
 *
 * The one global: what the debugger asked for at ompd_initialize, and the address spaces it opened.
 */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "ompd.h"
#include "target/diagnostics.h"

#define OMPD_5_0 201811
#define OMPD_5_1 202011
#define OMPD_5_2 202111
#define OMPD_6_0 202411

/* Enough for a debugger of many inferiors; one more answers nomem. */
#define LIBRARY_SPACES_MAX 256

struct address_space;
struct control_vars;

struct library {
	bool initialized;
	ompd_word_t
		api_version; /* what the tool asked for: decides names, scopes and enumerations */
	struct address_space *spaces[LIBRARY_SPACES_MAX];
	/* Outlives a space, so that the handle of a closed space is not that of the next one. */
	uint32_t generations[LIBRARY_SPACES_MAX];
	/* The same for the handles in it. */
	uint32_t handle_generations[LIBRARY_SPACES_MAX];
	struct control_vars
		*control_vars; /* those that tools hold; see ompd_rel_display_control_vars */
	/* What the last attempt to find or open a runtime noted, when no space came of it. */
	struct diagnostics diagnostics;
};

extern struct library library;

#endif /* LIBRARY_H */
