/* SPDX-License-Identifier: Apache-2.0
 *
 * What has been read of the offload runtime so far?
 */
#ifndef OFFLOAD_READING_H
#define OFFLOAD_READING_H

#include "offload/record.h"
#include "ompd-ext.h"
#include "target/address_map.h"
#include "target/vector.h"

struct offload_mapping {
	ompdx_mapping_t shown;
	size_t source; /* in text, + 1; 0: none */
};

struct offload_entry {
	ompdx_offload_entry_t shown;
	size_t name; /* the same */
};

struct offload_reading {
	const struct target *target;
	const struct offload_record *record;
	uint16_t machine; /* the offload runtime's own */
	target_addr manager;
	struct vector devices;      /* ompdx_device_t */
	struct vector entries;      /* struct offload_entry */
	struct vector mappings;     /* struct offload_mapping */
	struct vector text;         /* char */
	struct address_map text_of; /* by address, the place in text + 1 */
	int32_t policy;             /* -1: not kept */
	ompdx_problem_t problem;
	uint64_t looked_at; /* mappings, */
	uint64_t misfits;   /* and those of them that do not look like one by this record */
	uint64_t held;      /* those that a hold count counts on */
	uint64_t entry_misfits;
};

void reading_init(struct offload_reading *reading, const struct target *target,
		  const struct offload_record *record, uint16_t machine);
void reading_deinit(struct offload_reading *reading);

/* A member of the structure at the address. error: unreadable, or no member of this release. */
ompd_rc_t reading_field(const struct offload_reading *reading, target_addr address,
			enum offload_field field, uint64_t *ret);

/* The string there: its place in text + 1, or 0 if it cannot be read. nomem: also if there is too much text. */
ompd_rc_t reading_text(struct offload_reading *reading, target_addr address, size_t *ret);

/* What is wrong with a mapping that seemed to fit; of one that has a problem already nothing more is said. */
void reading_spoil(struct offload_reading *reading, struct offload_mapping *mapping,
		   ompdx_problem_t problem);

/* Whether a call ends by this: the debugger or memory failed, and no more than a structure of the target's. */
bool reading_ends(ompd_rc_t rc);

#endif /* OFFLOAD_READING_H */
