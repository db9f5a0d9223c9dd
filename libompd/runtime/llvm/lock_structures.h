/* SPDX-License-Identifier: Apache-2.0
 *
 * libomp's locks as plain C: the table of those that do not fit into the program's variable, and what each
 * kind of lock says of itself. Known from the shipped records only.
 */
#ifndef RUNTIME_LLVM_LOCK_STRUCTURES_H
#define RUNTIME_LLVM_LOCK_STRUCTURES_H

#include "ompd-ext.h"
#include "runtime/llvm/members.h"

/* What the type of an entry of the table says. */
struct lock_type {
	struct span tag; /* the enumerator: its value stands as the offset */
	ompdx_lock_kind_t kind;
	bool nested;
};

#define LOCK_TYPES 10

/* Where the members lie. Names are the runtime's. */
struct lock_structures {
	struct {
		struct extent extent;
		struct span table, next;
		struct span next_table; /* since 15 */
	} table;
	struct {
		struct extent extent;
		struct span lock, type;
	} entry;
	struct lock_type types[LOCK_TYPES];
	struct {
		struct extent extent;
		struct span poll, depth_locked;
	} tas, futex;
	struct {
		struct extent extent;
		struct span self, next_ticket, now_serving, owner_id, depth_locked;
	} ticket;
	struct {
		struct extent extent;
		struct span initialized, tail_id, head_id, owner_id, depth_locked;
	} queuing;
	struct {
		struct extent extent;
		struct span initialized, polls, mask, next_ticket, owner_id, depth_locked;
	} drdpa;
	struct span th_next_waiting; /* in a kmp_info_t */
};

/* kmp_indirect_lock_table_t */
struct lock_table {
	target_addr table; /* rows of entries */
	uint32_t next;     /* how many entries are, or have been, in use */
	target_addr next_table;
};

/* kmp_indirect_lock_t */
struct lock_entry {
	target_addr lock;
	ompdx_lock_kind_t kind; /* unknown: of a type that we do not know */
	bool nested;
};

struct lock_data {
	target_addr address;
	ompdx_lock_kind_t kind;
	bool nested;
	bool proven;   /* it carries the mark of a lock that is in use */
	int32_t held;  /* 1, 0; -1: not known */
	int32_t owner; /* gtid; -1: not recorded */
	int32_t depth; /* -1: none */
	int32_t head_id; /* gtid + 1 of the first in the queue; 0: the kind keeps none, or nobody waits */
	int32_t tail_id;
	int32_t waiting; /* how many wait; -1: not known */
	uint64_t word;   /* changes with whatever is done to the lock */
};

/* incompatible: the record does not tell; then nothing of locks can be read. */
ompd_rc_t lock_structures_init(struct lock_structures *ret, const uint64_t table[TABLE_WORDS],
			       const struct record *record);

/* error: unreadable. The contents are not judged here. */
ompd_rc_t lock_table_read(const struct target *target, const struct lock_structures *structures,
			  target_addr address, struct lock_table *ret);
uint32_t lock_entry_size(const struct target *target);
/* The entry in bytes that were read before. */
void lock_entry_decode(const struct target *target, const struct lock_structures *structures,
		       const uint8_t *bytes, struct lock_entry *ret);

/* A lock with a structure of its own. */
ompd_rc_t lock_data_read(const struct target *target, const struct lock_structures *structures,
			 const struct lock_entry *entry, struct lock_data *ret);

/* A lock that fits into the program's variable at address, and is all of `word'. false: it is none. */
bool lock_data_direct(target_addr address, uint32_t word, struct lock_data *ret);

#endif /* RUNTIME_LLVM_LOCK_STRUCTURES_H */
