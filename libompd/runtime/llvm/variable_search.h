/* SPDX-License-Identifier: Apache-2.0
 *
 * Where is a variable of libomp's that has no symbol? Any pointer in its data is one that leads to a block of
 * its allocator's which proves to be what the variable points to.
 */
#ifndef RUNTIME_LLVM_VARIABLE_SEARCH_H
#define RUNTIME_LLVM_VARIABLE_SEARCH_H

#include "runtime/llvm/llvm.h"

/* Is it the variable that is looked for? One that cannot be read is not, which is no failure. */
typedef ompd_rc_t variable_proof(struct address_space *space, const struct llvm *llvm,
				 target_addr variable, bool *proven);

/* unavailable: not found, as far as is searched (RECOVERY_CANDIDATES_MAX). */
ompd_rc_t variable_search(struct address_space *space, const struct llvm *llvm,
			  variable_proof *prove, target_addr *variable);

#endif /* RUNTIME_LLVM_VARIABLE_SEARCH_H */
