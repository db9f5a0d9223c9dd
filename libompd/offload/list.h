/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a std::vector or an llvm::SmallVector of the target's hold?
 */
#ifndef OFFLOAD_LIST_H
#define OFFLOAD_LIST_H

#include "offload/record.h"

struct list {
	target_addr first; /* of its elements */
	uint64_t count;
	size_t element; /* bytes of one */
};

/* The list that is a member of the structure at the address. incompatible: there is none of at most `limit' elements, or
 * it cannot be read. */
ompd_rc_t list_open(struct list *list, const struct target *target,
		    const struct offload_list_place *place, target_addr address, uint64_t limit);

/* The pointer that is its element; 0 behind its end. */
ompd_rc_t list_pointer(const struct list *list, const struct target *target, uint64_t index,
		       target_addr *ret);

#endif /* OFFLOAD_LIST_H */
