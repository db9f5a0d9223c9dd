/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/records.h"

#define NONE UINT16_MAX
#define SPAN(offset, size)                                                                         \
	{                                                                                          \
		(offset) == NONE ? 0 : (offset), (offset) == NONE ? 0 : (size)                     \
	}

enum { GCC_4_8, GCC_4_9, GCC_5, GCC_6, GCC_9, GCC_11, GCC_12, GCC_13, RECORD_COUNT };

#define RECORD(called, from, to, macro, round, behind, owner)                                      \
	{                                                                                          \
		.name = (called), .first = (from), .last = (to), .openmp = (macro),                \
		.barrier_round = (round), .tls_behind = (behind), .pool_names_owner = (owner)      \
	}
#define SIZE(index, type, size) [index].sizes[STRUCTURE_##type] = (size) == NONE ? 0 : (size)
#define MEMBER_SPAN(index, type, member, offset, size)                                             \
	[index].members[MEMBER_##type##__##member] = SPAN(offset, size)

static const struct record records[RECORD_COUNT] = {
	[GCC_4_8] = RECORD("gcc-4.8", 4, 4, 201107, 4, 4, false),
	[GCC_4_9] = RECORD("gcc-4.9", 4, 4, 201307, 8, 4, false),
	[GCC_5] = RECORD("gcc-5", 5, 5, 201307, 8, 16, false),
	[GCC_6] = RECORD("gcc-6", 6, 8, 201511, 8, 16, false),
	[GCC_9] = RECORD("gcc-9", 9, 10, 201511, 8, 16, true),
	[GCC_11] = RECORD("gcc-11", 11, 11, 201511, 8, 16, true),
	[GCC_12] = RECORD("gcc-12", 12, 12, 201511, 8, 16, true),
	[GCC_13] = RECORD("gcc-13", 13, 16, 201511, 8, 16, true),
#define STRUCTURE(type, gcc_4_8, gcc_4_9, gcc_5, gcc_6, gcc_9, gcc_11, gcc_12, gcc_13)             \
	SIZE(GCC_4_8, type, gcc_4_8), SIZE(GCC_4_9, type, gcc_4_9), SIZE(GCC_5, type, gcc_5),      \
		SIZE(GCC_6, type, gcc_6), SIZE(GCC_9, type, gcc_9), SIZE(GCC_11, type, gcc_11),    \
		SIZE(GCC_12, type, gcc_12), SIZE(GCC_13, type, gcc_13),
#define MEMBER(type, member, size, gcc_4_8, gcc_4_9, gcc_5, gcc_6, gcc_9, gcc_11, gcc_12, gcc_13)  \
	MEMBER_SPAN(GCC_4_8, type, member, gcc_4_8, size),                                         \
		MEMBER_SPAN(GCC_4_9, type, member, gcc_4_9, size),                                 \
		MEMBER_SPAN(GCC_5, type, member, gcc_5, size),                                     \
		MEMBER_SPAN(GCC_6, type, member, gcc_6, size),                                     \
		MEMBER_SPAN(GCC_9, type, member, gcc_9, size),                                     \
		MEMBER_SPAN(GCC_11, type, member, gcc_11, size),                                   \
		MEMBER_SPAN(GCC_12, type, member, gcc_12, size),                                   \
		MEMBER_SPAN(GCC_13, type, member, gcc_13, size),
#include "runtime/gomp/layout.def"
};

bool record_fits_tls(const struct record *record, uint64_t thread_local_size)
{
	return thread_local_size ==
	       record->sizes[STRUCTURE_gomp_thread] + (uint64_t)record->tls_behind;
}

const struct record *record_of_version(int32_t version, uint64_t thread_local_size)
{
	const struct record *found = NULL;

	for (size_t i = 0; i < COUNT(records); i++) {
		if (version < records[i].first || version > records[i].last)
			continue;
		if (!found || record_fits_tls(&records[i], thread_local_size))
			found = &records[i];
	}
	return found;
}

const struct record *record_number(size_t index)
{
	return index < COUNT(records) ? &records[index] : NULL;
}
