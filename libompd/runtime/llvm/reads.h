/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads of single structures, with a note to the diagnostics when they fail.
 */
#ifndef RUNTIME_LLVM_READS_H
#define RUNTIME_LLVM_READS_H

#include "runtime/llvm/llvm.h"

ompd_rc_t llvm_read_info(struct address_space *space, const struct llvm *llvm, target_addr address,
			 struct info *ret);
ompd_rc_t llvm_read_team(struct address_space *space, const struct llvm *llvm, target_addr address,
			 struct team *ret);
ompd_rc_t llvm_read_task(struct address_space *space, const struct llvm *llvm, target_addr address,
			 struct task *ret);

#endif /* RUNTIME_LLVM_READS_H */
