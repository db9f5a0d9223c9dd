/* SPDX-License-Identifier: Apache-2.0
 *
 * Is this libomp started, and where does it keep what? Asked by whoever is about to read its structures.
 */
#ifndef RUNTIME_LLVM_READY_H
#define RUNTIME_LLVM_READY_H

#include "runtime/llvm/llvm.h"

/* The space's libomp with its descriptors resolved.
 * unavailable: not started yet, or they cannot be found (the diagnostics say which). Tried again at the
 * next call: a program that has not started OpenMP may start it. */
ompd_rc_t llvm_ready(struct address_space *space, struct llvm **ret);

/* The same, and the thread array located. */
ompd_rc_t llvm_threads_ready(struct address_space *space, struct llvm **ret);

/* *ret 1: the runtime records thread states; 0: it does not, or is not known to; -1: where it says so is not
 * known. In a stripped libomp an OMPT tool's activity is known only once ompt_enabled has been located
 * (globals.h). error: it cannot be read; *ret is -1 then too. */
ompd_rc_t llvm_tracks_states(struct address_space *space, const struct llvm *llvm, int *ret);

#endif /* RUNTIME_LLVM_READY_H */
