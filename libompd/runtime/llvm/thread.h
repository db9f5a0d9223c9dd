/* SPDX-License-Identifier: Apache-2.0
 *
 * libomp's threads as handles stand for them, for those who answer for threads.
 */
#ifndef RUNTIME_LLVM_THREAD_H
#define RUNTIME_LLVM_THREAD_H

#include "runtime/llvm/llvm.h"

/* What a handle of this thread stands for: its structure, and as the part its pthread id. */
struct entity llvm_entity_of(const struct info *info);

/* The structure of a thread that a handle stands for. stale_handle: that thread has ended, and what is there now
 * is another's, or nobody's. */
ompd_rc_t llvm_read_thread(struct address_space *space, const struct llvm *llvm,
			   struct entity thread, struct info *ret);
void llvm_forget_threads(struct llvm *llvm);

#endif /* RUNTIME_LLVM_THREAD_H */
