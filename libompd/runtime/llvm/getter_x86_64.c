/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "runtime/llvm/getter_code.h"

/* A getter is: unless the runtime has started, start it; then load the variable and return. That is 30 to
 * 60 bytes. */
#define CODE_BYTES 96
/* What may stand between the load and the return: the stack pointer or a register is restored. */
#define EPILOGUE_BYTES_MAX 5

struct code {
	const struct image *image;
	target_addr address;
	uint8_t bytes[CODE_BYTES];
};

/* What the 32-bit displacement at `at` names: it counts from the end of the instruction. */
static target_addr displaced(const struct code *code, size_t at)
{
	const int64_t displacement = target_decode_signed(code->image->target, code->bytes + at, 4);

	return code->address + at + 4 + (uint64_t)displacement;
}

/* Whether the bytes from `at` restore what the function saved, and return. */
static bool returns(const struct code *code, size_t at)
{
	const size_t end = at + EPILOGUE_BYTES_MAX;

	while (at < CODE_BYTES && at < end) {
		const uint8_t *byte = code->bytes + at;

		if (byte[0] == 0xc3)
			return true;
		if (byte[0] >= 0x58 && byte[0] <= 0x5f) /* pop */
			at++;
		else if (at + 4 <= CODE_BYTES && byte[0] == 0x48 && byte[1] == 0x83 &&
			 byte[2] == 0xc4) /* add $n,%rsp */
			at += 4;
		else
			return false;
	}
	return false;
}

/* lea variable(%rip),%rax; mov (%rax),%eax or %rax. 0: something else. */
static size_t load_through_address(const struct code *code, size_t at, size_t size)
{
	static const uint8_t lea[] = {0x48, 0x8d, 0x05};
	static const uint8_t load_4[] = {0x8b, 0x00}, load_8[] = {0x48, 0x8b, 0x00};
	const size_t load_size = size == 8 ? sizeof(load_8) : sizeof(load_4);

	if (at + 7 + load_size > CODE_BYTES || memcmp(code->bytes + at, lea, sizeof(lea)) != 0 ||
	    memcmp(code->bytes + at + 7, size == 8 ? load_8 : load_4, load_size) != 0)
		return 0;
	return 7 + load_size;
}

/* mov variable(%rip),%eax or %rax. 0: something else. */
static size_t load_directly(const struct code *code, size_t at, size_t size)
{
	static const uint8_t load_4[] = {0x8b, 0x05}, load_8[] = {0x48, 0x8b, 0x05};
	const size_t opcode = size == 8 ? sizeof(load_8) : sizeof(load_4);

	if (at + opcode + 4 > CODE_BYTES ||
	    memcmp(code->bytes + at, size == 8 ? load_8 : load_4, opcode) != 0)
		return 0;
	return opcode + 4;
}

static bool find_load(const struct code *code, size_t from, size_t to, size_t size,
		      target_addr *ret)
{
	for (size_t at = from; at < to; at++) {
		size_t length = load_through_address(code, at, size);
		size_t displacement = at + 3;

		if (length == 0) {
			length = load_directly(code, at, size);
			displacement = at + length - 4;
		}
		if (length == 0 || !returns(code, at + length))
			continue;
		*ret = displaced(code, displacement);
		if (image_writable(code->image, *ret, size))
			return true;
	}
	return false;
}

static ompd_rc_t read_code(struct code *code, const struct image *image, target_addr address)
{
	code->image = image;
	code->address = address;
	return target_read(image->target, address, sizeof(code->bytes), code->bytes);
}

/* The getter may end in a jump to a function that does no more than load and return. */
static ompd_rc_t find_behind_jump(const struct code *code, size_t size, target_addr *ret)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	ompd_rc_t result = ompd_rc_unavailable;

	for (size_t at = 0; at + 5 <= CODE_BYTES; at++) {
		struct code next;
		size_t start = 0;
		ompd_rc_t rc;

		if (code->bytes[at] != 0xe9 ||
		    !image_contains(code->image, displaced(code, at + 1)))
			continue;
		rc = read_code(&next, code->image, displaced(code, at + 1));
		if (rc != ompd_rc_ok && rc != ompd_rc_error)
			return rc;
		if (rc == ompd_rc_ok && memcmp(next.bytes, endbr64, sizeof(endbr64)) == 0)
			start = sizeof(endbr64);
		if (rc == ompd_rc_error)
			result = rc;
		if (rc == ompd_rc_ok && find_load(&next, start, start + 1, size, ret))
			return ompd_rc_ok;
	}
	return result;
}

ompd_rc_t getter_code_x86_64(const struct image *image, target_addr function, size_t size,
			     target_addr *ret)
{
	struct code code;
	const ompd_rc_t rc = read_code(&code, image, function);

	if (rc != ompd_rc_ok)
		return rc;
	if (find_load(&code, 0, CODE_BYTES, size, ret))
		return ompd_rc_ok;
	return find_behind_jump(&code, size, ret);
}
