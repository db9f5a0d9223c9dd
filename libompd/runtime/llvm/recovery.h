/* SPDX-License-Identifier: Apache-2.0
 *
 * Where is the descriptor table of a libomp in memory? By its symbols, or, in a stripped one, by its
 * contents.
 */
#ifndef RUNTIME_LLVM_RECOVERY_H
#define RUNTIME_LLVM_RECOVERY_H

#include "ompd-ext.h"
#include "runtime/llvm/descriptors.h"
#include "target/image.h"

struct located_table {
	uint64_t words[TABLE_WORDS]; /* in the order of libomp's source */
	ompdx_descriptors_t source;
	target_addr address;    /* of a recovered table; 0: published */
	target_addr ompd_state; /* address of that variable beside it; 0: not known, or published */
};

/* unavailable: there is none yet; the diagnostics say what was tried. ret->source is symbols then if there will be
 * one where they say: a libomp fills it as it starts. */
ompd_rc_t table_locate(struct image *image, struct located_table *ret);

/* Whether the data of an image that exports no names holds a table: a libomp that is linked into a stripped
 * program, and has started. unavailable: it does not, as far as it is searched. */
ompd_rc_t table_is_in(struct image *image);

/* Writable data of the runtime, as ranges to search. If that is too much: what lies around `near` (0: not
 * known) or the one variable that every libomp exports, else the end. Returns their number, at most
 * IMAGE_WRITABLE_MAX. */
unsigned recovery_ranges(struct image *image, target_addr near, struct address_range *ranges);

/* The range as decoded 8-byte words in a block of *count; unreadable pages are zero. The caller frees the
 * block with callback_free. */
ompd_rc_t recovery_read(struct image *image, struct address_range range, uint64_t **words,
			size_t *count);

#endif /* RUNTIME_LLVM_RECOVERY_H */
