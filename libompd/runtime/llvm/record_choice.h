/* SPDX-License-Identifier: Apache-2.0
 *
 * Which shipped record describes a libomp that has no table? Link-time optimisation deletes it.
 */
#ifndef RUNTIME_LLVM_RECORD_CHOICE_H
#define RUNTIME_LLVM_RECORD_CHOICE_H

#include "runtime/llvm/llvm.h"

/* The one record of the version that the image's exports tell by which the structures in memory fit in every
 * point. unavailable: the runtime has not started, or none fits; the diagnostics say which. */
ompd_rc_t record_choose(struct address_space *space, const struct record **ret);

#endif /* RUNTIME_LLVM_RECORD_CHOICE_H */
