/* SPDX-License-Identifier: Apache-2.0
 *
 * Where does a release of LLVM's libomptarget keep its data?
 */
#ifndef OFFLOAD_RECORD_H
#define OFFLOAD_RECORD_H

#include "runtime/common/bytes.h"

enum offload_field {
#define OFFLOAD_FIELD(name, where) OFFLOAD_FIELD_##name,
#include "offload/layout.def"
	OFFLOAD_FIELD_COUNT
};

enum offload_list {
#define OFFLOAD_LIST(name, where) OFFLOAD_LIST_##name,
#include "offload/layout.def"
	OFFLOAD_LIST_COUNT
};

enum offload_list_form {
	OFFLOAD_LIST_VECTOR = 1, /* std::vector */
	OFFLOAD_LIST_SMALL = 2   /* llvm::SmallVector */
};

struct offload_list_place {
	uint16_t offset;
	uint8_t form;
	uint16_t element; /* bytes of one */
};

struct offload_record {
	const char *name;
	int32_t versions[4]; /* the releases that it is of; 0: no more */
	struct span fields[OFFLOAD_FIELD_COUNT];
	struct offload_list_place lists[OFFLOAD_LIST_COUNT];
};

extern const struct offload_record offload_records[];
extern const size_t offload_record_count;

/* NULL: there is none of this release. */
const struct offload_record *offload_record_of(int32_t version);

#endif /* OFFLOAD_RECORD_H */
