/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/records.h"

#define NONE UINT16_MAX
#define SPAN(offset, size)                                                                         \
	{                                                                                          \
		(offset) == NONE ? 0 : (offset), (offset) == NONE ? 0 : (size)                     \
	}

static const struct record records[] = {
	{
		.name = "gcc-9",
		.first = 9,
		.last = 10,
		.sizes =
			{
#define STRUCTURE(type, gcc_9, gcc_11, gcc_12, gcc_13) [STRUCTURE_##type] = gcc_9,
#include "runtime/gomp/layout.def"
			},
		.members =
			{
#define MEMBER(type, member, size, gcc_9, gcc_11, gcc_12, gcc_13)                                  \
	[MEMBER_##type##__##member] = SPAN(gcc_9, size),
#include "runtime/gomp/layout.def"
			},
	},
	{
		.name = "gcc-11",
		.first = 11,
		.last = 11,
		.sizes =
			{
#define STRUCTURE(type, gcc_9, gcc_11, gcc_12, gcc_13) [STRUCTURE_##type] = gcc_11,
#include "runtime/gomp/layout.def"
			},
		.members =
			{
#define MEMBER(type, member, size, gcc_9, gcc_11, gcc_12, gcc_13)                                  \
	[MEMBER_##type##__##member] = SPAN(gcc_11, size),
#include "runtime/gomp/layout.def"
			},
	},
	{
		.name = "gcc-12",
		.first = 12,
		.last = 12,
		.sizes =
			{
#define STRUCTURE(type, gcc_9, gcc_11, gcc_12, gcc_13) [STRUCTURE_##type] = gcc_12,
#include "runtime/gomp/layout.def"
			},
		.members =
			{
#define MEMBER(type, member, size, gcc_9, gcc_11, gcc_12, gcc_13)                                  \
	[MEMBER_##type##__##member] = SPAN(gcc_12, size),
#include "runtime/gomp/layout.def"
			},
	},
	{
		.name = "gcc-13",
		.first = 13,
		.last = 16,
		.sizes =
			{
#define STRUCTURE(type, gcc_9, gcc_11, gcc_12, gcc_13) [STRUCTURE_##type] = gcc_13,
#include "runtime/gomp/layout.def"
			},
		.members =
			{
#define MEMBER(type, member, size, gcc_9, gcc_11, gcc_12, gcc_13)                                  \
	[MEMBER_##type##__##member] = SPAN(gcc_13, size),
#include "runtime/gomp/layout.def"
			},
	},
};

const struct record *record_of_version(int32_t version)
{
	for (size_t i = 0; i < COUNT(records); i++) {
		if (version >= records[i].first && version <= records[i].last)
			return &records[i];
	}
	return NULL;
}
