/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands in a structure of the target's? The values of its members, in bytes that are read at once.
 */
#ifndef RUNTIME_COMMON_BYTES_H
#define RUNTIME_COMMON_BYTES_H

#include <stdbool.h>

#include "target/limits.h"
#include "target/target.h"

/* A member: where it lies in its structure. size 0: not known. */
struct span {
	uint16_t offset;
	uint16_t size;
};

/* The part of a structure that is read. */
struct extent {
	uint32_t start;
	uint32_t end;
};

/* A structure's bytes, as read. */
struct bytes {
	const struct target *target;
	struct extent extent;
	uint8_t data[STRUCTURE_BYTES_MAX];
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A member of a member. The sum of two offsets may not fit: then the member is not known. */
struct span member_nested(struct span outer, struct span inner);

/* The bytes that hold all of `needed`, and those of `wanted` that lie within reach; of the others the size
 * becomes 0. false: a needed member is not known, or too far away. */
bool extent_cover(struct extent *extent, const struct span *const needed[], size_t needed_count,
		  struct span *const wanted[], size_t wanted_count);

/* error: unreadable, or no address. */
ompd_rc_t bytes_read(struct bytes *bytes, const struct target *target, const struct extent *extent,
		     target_addr address);

/* One member of the structure at the address. error: unreadable, or not known. */
ompd_rc_t member_read(const struct target *target, target_addr address, struct span span,
		      uint64_t *ret);

/* 0, and -1, for a member that is not known. */
uint64_t bytes_get(const struct bytes *bytes, struct span span);
int32_t bytes_get_int(const struct bytes *bytes, struct span span);

#endif /* RUNTIME_COMMON_BYTES_H */
