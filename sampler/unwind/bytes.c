/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind/bytes.h"

#include <string.h>

static const uint8_t *next(struct bytes *bytes, uint64_t count)
{
	if (bytes->bad || bytes->at > bytes->size || count > bytes->size - bytes->at) {
		bytes->bad = true;
		return NULL;
	}
	const uint8_t *here = bytes->start + bytes->at;

	bytes->at += (size_t)count;
	return here;
}

uint64_t bytes_unsigned(struct bytes *bytes, size_t size)
{
	const uint8_t *here = next(bytes, size);
	uint8_t one;
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	if (!here)
		return 0;
	switch (size) {
	case 1:
		memcpy(&one, here, 1);
		return one;
	case 2:
		memcpy(&two, here, 2);
		return two;
	case 4:
		memcpy(&four, here, 4);
		return four;
	case 8:
		memcpy(&eight, here, 8);
		return eight;
	default:
		bytes->bad = true;
		return 0;
	}
}

int64_t bytes_signed(struct bytes *bytes, size_t size)
{
	uint64_t value = bytes_unsigned(bytes, size);

	switch (size) {
	case 1:
		return (int8_t)value;
	case 2:
		return (int16_t)value;
	case 4:
		return (int32_t)value;
	default:
		return (int64_t)value;
	}
}

uint64_t bytes_uleb(struct bytes *bytes)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint64_t byte = bytes_unsigned(bytes, 1);

		if (bytes->bad)
			return 0;
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
}

int64_t bytes_sleb(struct bytes *bytes)
{
	uint64_t value = 0;

	for (unsigned shift = 0;;) {
		uint64_t byte = bytes_unsigned(bytes, 1);

		if (bytes->bad)
			return 0;
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift < 64)
			value |= UINT64_MAX << shift;
		return (int64_t)value;
	}
}

void bytes_skip(struct bytes *bytes, uint64_t count)
{
	next(bytes, count);
}

struct bytes bytes_part(struct bytes *bytes, uint64_t size)
{
	const uint8_t *here = next(bytes, size);

	return (struct bytes){here, here ? (size_t)size : 0, 0, !here};
}
