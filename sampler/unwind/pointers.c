/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind/pointers.h"

static uint64_t value_of(struct bytes *bytes, uint8_t format)
{
	switch (format) {
	case 0x00:
	case 0x04:
	case 0x0c:
		return bytes_unsigned(bytes, 8);
	case 0x01:
		return bytes_uleb(bytes);
	case 0x02:
		return bytes_unsigned(bytes, 2);
	case 0x03:
		return bytes_unsigned(bytes, 4);
	case 0x09:
		return (uint64_t)bytes_sleb(bytes);
	case 0x0a:
		return (uint64_t)bytes_signed(bytes, 2);
	case 0x0b:
		return (uint64_t)bytes_signed(bytes, 4);
	default:
		bytes->bad = true;
		return 0;
	}
}

uint64_t encoded_pointer(struct bytes *bytes, uint8_t encoding, uint64_t address, uint64_t data)
{
	uint64_t here = address + bytes->at;
	uint64_t value = value_of(bytes, encoding & POINTER_FORMAT);

	switch (encoding & 0xf0) {
	case 0:
		return value;
	case POINTER_PC_RELATIVE:
		return here + value;
	case POINTER_DATA_RELATIVE:
		return data + value;
	default:
		bytes->bad = true;
		return 0;
	}
}
