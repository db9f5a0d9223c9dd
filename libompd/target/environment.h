/* SPDX-License-Identifier: Apache-2.0
 *
 * What variables of its environment did a library of the program find when it was loaded? The program may have changed
 * them before or since: a variable is told only if it is now as the program was started with it.
 */
#ifndef TARGET_ENVIRONMENT_H
#define TARGET_ENVIRONMENT_H

#include <stdbool.h>

#include "target/limits.h"
#include "target/target.h"

struct environment {
	bool asked;
	/* Variables that lead to the list that the program changes, and to where the kernel has put the first one; 0:
	 * not known. */
	target_addr current, started;
	/* Where that stack was seen to end: nothing is there to be read. 0: not seen yet. */
	target_addr end;
};

/* Looks for both, once. */
ompd_rc_t environment_find(const struct target *target, struct environment *ret);

/* *set: whether there is such a variable; its value, then. unavailable: it has been changed, there are several whose
 * names begin so, or it cannot be read. */
ompd_rc_t environment_value(const struct target *target, struct environment *environment,
			    const char *name, bool *set, char value[SETTING_LENGTH_MAX]);

#endif /* TARGET_ENVIRONMENT_H */
