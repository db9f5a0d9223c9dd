/* SPDX-License-Identifier: Apache-2.0
 *
 * __kmp_i_lock_table, libomp's table of all locks that do not fit into the program's variable: where it is,
 * and what is in it.
 */
#ifndef RUNTIME_LLVM_LOCK_TABLE_H
#define RUNTIME_LLVM_LOCK_TABLE_H

#include "runtime/llvm/llvm.h"
#include "target/address_map.h"
#include "target/vector.h"

struct lock_entries {
	struct vector entries;             /* struct lock_entry, by index */
	struct address_map index_of_entry; /* by the entry's address */
	bool cut;                          /* there may be more */
};

/* Finds the variable and proves it. unavailable: not found; the diagnostics say so. */
ompd_rc_t lock_table_locate(struct address_space *space, struct llvm *llvm, target_addr *ret);

/* Reads all entries; lock_entries_deinit is due in any case. What is unreadable is left out, and `cut'. */
ompd_rc_t lock_entries_read(struct address_space *space, const struct llvm *llvm,
			    target_addr variable, struct lock_entries *ret);
void lock_entries_deinit(struct lock_entries *entries);

#endif /* RUNTIME_LLVM_LOCK_TABLE_H */
