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
	int32_t first, last;    /* major versions of GCC */
	int32_t openmp;         /* what their -fopenmp defines _OPENMP as */
	uint32_t barrier_round; /* what each barrier adds to a generation, below which are flags */
	uint32_t tls_behind;    /* how many bytes of thread-local data lie behind gomp_tls_data */
	bool pool_names_owner;  /* a pool's thread 0 is whose pool it is; else it is nothing */
	uint32_t sizes[STRUCTURE_COUNT];
	struct span members[MEMBER_COUNT];
};

/* Of those of a major version the one whose thread-local data are as large; if none are, one of them.
 * NULL: the version's layout is not known. */
const struct record *record_of_version(int32_t version, uint64_t thread_local_size);

bool record_fits_tls(const struct record *record, uint64_t thread_local_size);

/* Each of them; NULL: there are no more. */
const struct record *record_number(size_t index);

#endif /* RUNTIME_GOMP_RECORDS_H */
