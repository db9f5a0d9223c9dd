/* SPDX-License-Identifier: Apache-2.0
 *
 * Which entry of .eh_frame is about an address, and what it says before its instructions.
 */
#ifndef SAMPLER_ENTRIES_H
#define SAMPLER_ENTRIES_H

#include "unwind/bytes.h"
#include "unwind/cfi.h"

struct entry {
	uint64_t begin, end; /* the addresses that it is about */
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t return_column;
	bool signal;
	struct bytes common;       /* instructions for all entries of its kind */
	struct bytes instructions; /* its own */
	uint8_t encoding;          /* of addresses in instructions */
};

/* Makes the lines, which find_entry needs of what has no header. They are the caller's to free. */
void list_entries(struct cfi *cfi);

/* false: none is about it, or it is damaged. */
bool find_entry(const struct cfi *cfi, uint64_t address, struct entry *entry);

#endif /* SAMPLER_ENTRIES_H */
