/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads from bytes that may be damaged: beyond their end there are zeros, and `bad' stays set.
 */
#ifndef SAMPLER_BYTES_H
#define SAMPLER_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	const uint8_t *start;
	size_t size;
	size_t at;
	bool bad;
};

uint64_t bytes_unsigned(struct bytes *bytes,
			size_t size); /* 1, 2, 4 or 8 of them, this machine's order */
int64_t bytes_signed(struct bytes *bytes, size_t size);
uint64_t bytes_uleb(struct bytes *bytes);
int64_t bytes_sleb(struct bytes *bytes);
void bytes_skip(struct bytes *bytes, uint64_t count);
struct bytes bytes_part(struct bytes *bytes, uint64_t size); /* and goes behind it */

#endif /* SAMPLER_BYTES_H */
