/* SPDX-License-Identifier: Apache-2.0
 *
 * __kmp_threads, libomp's array of all its threads: where it is, and what is in it.
 */
#ifndef RUNTIME_LLVM_THREAD_ARRAY_H
#define RUNTIME_LLVM_THREAD_ARRAY_H

#include "runtime/llvm/llvm.h"

struct thread_array {
	target_addr *infos; /* by gtid; 0: no thread */
	uint32_t count;
};

/* Finds the variable and proves it. unavailable: not found. */
ompd_rc_t thread_array_locate(struct address_space *space, const struct llvm *llvm,
			      target_addr *variable);

/* Whether libomp has allocated anything: before its start it has not. For builds whose structures are not
 * known, since the mark of its allocator is the same in all. error: its data is unreadable. */
ompd_rc_t thread_array_allocated(struct address_space *space, bool *ret);

/* Reads the whole array as it is now. thread_array_deinit is due after ompd_rc_ok. */
ompd_rc_t thread_array_read(struct address_space *space, const struct llvm *llvm,
			    struct thread_array *ret);
void thread_array_deinit(struct thread_array *array);

/* The thread at this place now. unavailable: none. */
ompd_rc_t thread_array_at(struct address_space *space, const struct llvm *llvm, int32_t gtid,
			  target_addr *info);

/* Whether the array has this thread at this place now; two reads of a word each. */
ompd_rc_t thread_array_holds(struct address_space *space, const struct llvm *llvm, int32_t gtid,
			     target_addr info, bool *ret);

/* Whether the runtime is still making the thread of this entry: it has no pthread yet, and may not have been
 * numbered. There is one such thread at a time. */
bool thread_array_is_making(const struct info *info, int32_t gtid);

#endif /* RUNTIME_LLVM_THREAD_ARRAY_H */
