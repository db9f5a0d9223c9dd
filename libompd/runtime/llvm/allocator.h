/* SPDX-License-Identifier: Apache-2.0
 *
 * libomp's allocator writes four words before each block: the address and size that it got from malloc,
 * the address and size that it gives out. They prove that a block is one, and how large it is.
 */
#ifndef RUNTIME_LLVM_ALLOCATOR_H
#define RUNTIME_LLVM_ALLOCATOR_H

#include <stdbool.h>

#include "target/target.h"

enum {
	DESCRIPTOR_GOT,
	DESCRIPTOR_GOT_SIZE,
	DESCRIPTOR_GIVEN,
	DESCRIPTOR_GIVEN_SIZE,
	DESCRIPTOR_WORDS
};

/* Whether a block could begin there at all: nothing is allocated in the first page. */
static inline bool allocator_may_give(const struct target *target, target_addr block)
{
	return block >= 4096 && block % target->sizes.sizeof_pointer == 0;
}

static inline target_addr descriptor_of(const struct target *target, target_addr block)
{
	return block - DESCRIPTOR_WORDS * target->sizes.sizeof_pointer;
}

static inline bool descriptor_fits(const target_addr *descriptor, target_addr block)
{
	return descriptor[DESCRIPTOR_GIVEN] == block && descriptor[DESCRIPTOR_GOT] <= block &&
	       descriptor[DESCRIPTOR_GIVEN_SIZE] <= descriptor[DESCRIPTOR_GOT_SIZE];
}

/* The size that was asked for; 0: no block of the allocator's is there. */
ompd_rc_t allocator_block_size(const struct target *target, target_addr block, uint64_t *ret);

#endif /* RUNTIME_LLVM_ALLOCATOR_H */
