/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/allocator.h"

ompd_rc_t allocator_block_size(const struct target *target, target_addr block, uint64_t *ret)
{
	target_addr descriptor[DESCRIPTOR_WORDS];
	ompd_rc_t rc;

	*ret = 0;
	if (!allocator_may_give(target, block))
		return ompd_rc_ok;
	rc = target_read_pointers(target, descriptor_of(target, block), DESCRIPTOR_WORDS,
				  descriptor);
	if (rc == ompd_rc_ok && descriptor_fits(descriptor, block))
		*ret = descriptor[DESCRIPTOR_GIVEN_SIZE];
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}
