/* SPDX-License-Identifier: Apache-2.0
 *
 * How are the structures of a libgomp release laid out?
 */
#ifndef RUNTIME_GOMP_RECORDS_H
#define RUNTIME_GOMP_RECORDS_H

#include <stdbool.h>

#include "runtime/common/bytes.h"

enum structure {
#define STRUCTURE(type, ...) STRUCTURE_##type,
#include "runtime/gomp/layout.def"
	STRUCTURE_COUNT
};

enum member {
#define MEMBER(type, member, size, ...) MEMBER_##type##__##member,
#include "runtime/gomp/layout.def"
	MEMBER_COUNT
};

struct record {
	const char *name;
	int32_t first, last;   /* major versions of GCC */
	bool pool_names_owner; /* a pool's thread 0 is whose pool it is; else it is nothing */
	uint32_t sizes[STRUCTURE_COUNT];
	struct span members[MEMBER_COUNT];
};

/* NULL: the release's layout is not known. */
const struct record *record_of_version(int32_t version);

/* Each of them; NULL: there are no more. */
const struct record *record_number(size_t index);

#endif /* RUNTIME_GOMP_RECORDS_H */
