/* SPDX-License-Identifier: Apache-2.0
 *
 * Where do the members of libomp's structures lie, by the published table or a record?
 */
#ifndef RUNTIME_LLVM_MEMBERS_H
#define RUNTIME_LLVM_MEMBERS_H

#include "runtime/common/bytes.h"
#include "runtime/llvm/descriptors.h"

struct span member_published(const uint64_t *table, enum access member);

/* size 0 without a record, or when the releases have no such member. */
struct span member_recorded(const struct record *record, enum record_field field);

#endif /* RUNTIME_LLVM_MEMBERS_H */
