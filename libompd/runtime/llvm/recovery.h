/* SPDX-License-Identifier: Apache-2.0
 *
 * Where is the descriptor table of a libomp in memory? By its symbols, or, in a stripped one, by its
 * contents.
 */
#ifndef RUNTIME_LLVM_RECOVERY_H
#define RUNTIME_LLVM_RECOVERY_H

#include "address_space.h"
#include "runtime/llvm/descriptors.h"

struct located_table {
	uint64_t words[TABLE_WORDS]; /* in the order of libomp's source */
	ompdx_descriptors_t source;
	target_addr ompd_state; /* address of that variable; 0: not known */
};

/* unavailable: there is none yet; the diagnostics of the space say what was tried. */
ompd_rc_t table_locate(struct address_space *space, struct located_table *ret);

/* Writable data of the runtime, as ranges to search. Cut to RECOVERY_BYTES_MAX in all, around the one
 * variable that every libomp exports. Returns their number, at most IMAGE_WRITABLE_MAX. */
unsigned recovery_ranges(struct address_space *space, struct address_range *ranges);

/* The range as decoded 8-byte words in a block of *count; unreadable pages are zero. The caller frees the
 * block with callback_free. */
ompd_rc_t recovery_read(struct address_space *space, struct address_range range, uint64_t **words,
			size_t *count);

#endif /* RUNTIME_LLVM_RECOVERY_H */
