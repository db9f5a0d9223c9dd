/* SPDX-License-Identifier: Apache-2.0
 *
 * Which region is a thread in, by what its structure says?
 */
#ifndef RUNTIME_LLVM_PARALLEL_H
#define RUNTIME_LLVM_PARALLEL_H

#include "runtime/llvm/llvm.h"

/* The innermost one; *team: the thread's. */
ompd_rc_t llvm_region_of_info(struct address_space *space, const struct llvm *llvm,
			      const struct info *info, struct team *team, struct entity *region);

#endif /* RUNTIME_LLVM_PARALLEL_H */
