/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/variable_search.h"

#include "runtime/llvm/allocator.h"
#include "target/callbacks.h"
#include "target/limits.h"

/* Pointers of 4 bytes lie two in a decoded word: which half is first depends on the order. */
static target_addr pointer_at(const struct target *target, const uint64_t *words, size_t i)
{
	const bool high = (i % 2 == 1) != (bool)target->big_endian;

	if (target->sizes.sizeof_pointer == 8)
		return words[i];
	return (words[i / 2] >> (high ? 32 : 0)) & UINT32_MAX;
}

static ompd_rc_t search_range(struct address_space *space, const struct llvm *llvm,
			      variable_proof *prove, struct address_range range,
			      unsigned *candidates, target_addr *variable)
{
	const unsigned width = space->target.sizes.sizeof_pointer;
	const target_addr start = (range.start + 7) & ~(target_addr)7;
	uint64_t *words;
	size_t count;
	ompd_rc_t rc = recovery_read(&space->image, range, &words, &count);

	if (rc != ompd_rc_ok)
		return rc;
	rc = ompd_rc_unavailable;
	for (size_t i = 0; i < count * (8 / width) && rc == ompd_rc_unavailable; i++) {
		const target_addr block = pointer_at(&space->target, words, i);
		const target_addr at = start + i * width;
		bool proven;

		if (!allocator_may_give(&space->target, block) ||
		    image_contains(&space->image, block))
			continue;
		if ((*candidates)++ >= RECOVERY_CANDIDATES_MAX)
			break;
		rc = prove(space, llvm, at, &proven);
		if (rc == ompd_rc_ok && proven)
			*variable = at;
		else if (rc == ompd_rc_ok)
			rc = ompd_rc_unavailable;
	}
	callback_free(words);
	return rc;
}

ompd_rc_t variable_search(struct address_space *space, const struct llvm *llvm,
			  variable_proof *prove, target_addr *variable)
{
	struct address_range ranges[IMAGE_WRITABLE_MAX];
	const unsigned count = recovery_ranges(&space->image, llvm->table, ranges);
	unsigned candidates = 0;

	for (unsigned i = 0; i < count; i++) {
		const ompd_rc_t rc =
			search_range(space, llvm, prove, ranges[i], &candidates, variable);

		if (rc != ompd_rc_unavailable && rc != ompd_rc_error)
			return rc;
	}
	return ompd_rc_unavailable;
}
