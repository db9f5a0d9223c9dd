/* SPDX-License-Identifier: Apache-2.0
 *
 * The descriptors of libomp's structures: the table that libomp publishes for OMPD, and the shipped
 * records that say what the table lacks. Both come from layout.def.
 */
#ifndef RUNTIME_LLVM_DESCRIPTORS_H
#define RUNTIME_LLVM_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/common/bytes.h"

enum access {
#define ACCESS(type, member) ACCESS_##type##__##member,
#include "runtime/llvm/layout.def"
	ACCESS_COUNT
};

enum bitfield {
#define BITFIELD(type, member) BITFIELD_##type##__##member,
#include "runtime/llvm/layout.def"
	BITFIELD_COUNT
};

enum size {
#define SIZEOF(type) SIZEOF_##type,
#include "runtime/llvm/layout.def"
	SIZEOF_COUNT
};

enum record_field {
#define RECORD(type, member) RECORD_FIELD_##type##__##member,
#include "runtime/llvm/layout.def"
	RECORD_FIELD_COUNT
};

enum record_bitfield {
#define RECORD_BITFIELD(type, member) RECORD_BITFIELD_##type##__##member,
#include "runtime/llvm/layout.def"
	RECORD_BITFIELD_COUNT
};

/* The table's words, in the order of libomp's source: offsets, sizes of the same members, masks, sizes. */
enum {
	TABLE_OFFSETS = 0,
	TABLE_MEMBER_SIZES = TABLE_OFFSETS + ACCESS_COUNT,
	TABLE_MASKS = TABLE_MEMBER_SIZES + ACCESS_COUNT,
	TABLE_SIZES = TABLE_MASKS + BITFIELD_COUNT,
	TABLE_WORDS = TABLE_SIZES + SIZEOF_COUNT,
};

struct record {
	const char *name;     /* the first release that has this layout */
	const char *versions; /* all releases that were found to have it */
	uint16_t machine;     /* e_machine */
	uint32_t table[TABLE_WORDS];
	struct span fields[RECORD_FIELD_COUNT];
	uint32_t masks[RECORD_BITFIELD_COUNT]; /* 0: the releases have no such bit field */
};

/* The symbol that publishes a word of the table. */
const char *table_symbol(unsigned word);

/* Whether these words can be the table: what the language and libomp's source fix for any build. The
 * table of another program, a shifted one or random memory does not pass. */
bool table_plausible(const uint64_t words[TABLE_WORDS], unsigned pointer_size);

/* Whether a record is of this machine (e_machine; EM_NONE: not known). */
bool record_is_for(const struct record *record, uint16_t machine);

/* The machine's record whose table is the same in every word; NULL: none. */
const struct record *record_of_table(const uint64_t words[TABLE_WORDS], uint16_t machine);

/* All records, and a record's table in the form of the published one. */
size_t record_count(void);
const struct record *record_at(size_t index);
void record_table(const struct record *record, uint64_t words[TABLE_WORDS]);

#endif /* RUNTIME_LLVM_DESCRIPTORS_H */
