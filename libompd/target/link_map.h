/* SPDX-License-Identifier: Apache-2.0
 *
 * The dynamic linker's list of loaded objects, in all its namespaces.
 */
#ifndef TARGET_LINK_MAP_H
#define TARGET_LINK_MAP_H

#include "target/target.h"

struct link_map_walk {
	const struct target *target;
	target_addr debug; /* the current namespace's struct r_debug */
	target_addr next;  /* the next struct link_map of it; 0: the namespace is done */
	target_addr mark;  /* an earlier one: met again, the list goes in a circle */
	unsigned objects;
	unsigned namespaces; /* so many were entered */
	bool cut;            /* it ended before the list did */
};

struct loaded_object {
	target_addr bias;
	target_addr dynamic;
	target_addr name; /* of its path in the target */
};

/* Of the struct r_debug that is there. An empty list is none yet. */
ompd_rc_t link_map_begin(struct link_map_walk *walk, const struct target *target,
			 target_addr debug);

/* By the symbol. unavailable: the list cannot be found, or is not filled yet. */
ompd_rc_t link_map_first(struct link_map_walk *walk, const struct target *target);

/* ok and *ret, or unavailable behind the last object. Objects whose entry is unreadable end the walk. */
ompd_rc_t link_map_next(struct link_map_walk *walk, struct loaded_object *ret);

#endif /* TARGET_LINK_MAP_H */
