/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/records.h"

#define NONE UINT16_MAX
#define SPAN(offset, size)                                                                         \
	{                                                                                          \
		(offset) == NONE ? 0 : (offset), (offset) == NONE ? 0 : (size)                     \
	}

enum { GCC_6, GCC_9, GCC_11, GCC_12, GCC_13, RECORD_COUNT };

static const struct record records[RECORD_COUNT] = {
	[GCC_6] = {.name = "gcc-6", .first = 6, .last = 8, .pool_names_owner = false},
	[GCC_9] = {.name = "gcc-9", .first = 9, .last = 10, .pool_names_owner = true},
	[GCC_11] = {.name = "gcc-11", .first = 11, .last = 11, .pool_names_owner = true},
	[GCC_12] = {.name = "gcc-12", .first = 12, .last = 12, .pool_names_owner = true},
	[GCC_13] = {.name = "gcc-13", .first = 13, .last = 16, .pool_names_owner = true},
#define STRUCTURE(type, gcc_6, gcc_9, gcc_11, gcc_12, gcc_13)                                      \
	[GCC_6].sizes[STRUCTURE_##type] = gcc_6, [GCC_9].sizes[STRUCTURE_##type] = gcc_9,          \
	[GCC_11].sizes[STRUCTURE_##type] = gcc_11, [GCC_12].sizes[STRUCTURE_##type] = gcc_12,      \
	[GCC_13].sizes[STRUCTURE_##type] = gcc_13,
#define MEMBER(type, member, size, gcc_6, gcc_9, gcc_11, gcc_12, gcc_13)                           \
	[GCC_6].members[MEMBER_##type##__##member] = SPAN(gcc_6, size),                            \
	[GCC_9].members[MEMBER_##type##__##member] = SPAN(gcc_9, size),                            \
	[GCC_11].members[MEMBER_##type##__##member] = SPAN(gcc_11, size),                          \
	[GCC_12].members[MEMBER_##type##__##member] = SPAN(gcc_12, size),                          \
	[GCC_13].members[MEMBER_##type##__##member] = SPAN(gcc_13, size),
#include "runtime/gomp/layout.def"
};

const struct record *record_of_version(int32_t version)
{
	for (size_t i = 0; i < COUNT(records); i++) {
		if (version >= records[i].first && version <= records[i].last)
			return &records[i];
	}
	return NULL;
}

const struct record *record_number(size_t index)
{
	return index < COUNT(records) ? &records[index] : NULL;
}
