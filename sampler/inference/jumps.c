/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/jumps.h"

#include <string.h>

#include "inference/a64_words.h"
#include "inference/instruction.h"

/* Addresses are loaded at a function's beginning, or in front of a loop: of a longer one it is not known. */
#define CALLER_BYTES 65536
/* A region's code that only calls a function loads what it passes. */
#define JUMPER_BYTES 1024

#if defined __x86_64__

static uint64_t relative(const uint8_t *code, uint64_t next)
{
	int32_t value;

	memcpy(&value, code, sizeof value);
	return next + (uint64_t)(int64_t)value;
}

/* lea DISPLACEMENT(%rip),REGISTER */
static bool loads(const uint8_t *code, size_t size, uint64_t at, uint64_t *address)
{
	if (size < 7 || (code[0] & 0xfb) != 0x48 || code[1] != 0x8d || (code[2] & 0xc7) != 0x05)
		return false;
	*address = relative(code + 3, at + 7);
	return true;
}

static bool jumps(const uint8_t *code, size_t size, uint64_t at, uint64_t to)
{
	return (size >= 5 && code[0] == 0xe9 && relative(code + 1, at + 5) == to) ||
	       (size >= 2 && code[0] == 0xeb && at + 2 + (uint64_t)(int64_t)(int8_t)code[1] == to);
}

#else

/* adr REGISTER, ADDRESS; adrp REGISTER, PAGE and, not far behind it, add REGISTER, REGISTER, OFFSET */
static bool loads(const uint8_t *code, size_t size, uint64_t at, uint64_t *address)
{
	uint32_t word, next;

	if (size < 4)
		return false;
	memcpy(&word, code, sizeof word);
	if (!a64_address(word, at, address))
		return false;
	if (word >> 31 == 0)
		return true;
	for (size_t i = 4; i + 4 <= size && i < 32; i += 4) {
		memcpy(&next, code + i, sizeof next);
		if ((next & 0xffc003ff) == (0x91000000 | (word & 0x1f) << 5 | (word & 0x1f))) {
			*address += next >> 10 & 0xfff;
			return true;
		}
	}
	return false;
}

static bool jumps(const uint8_t *code, size_t size, uint64_t at, uint64_t to)
{
	uint32_t word;
	uint64_t target;

	if (size < 4)
		return false;
	memcpy(&word, code, sizeof word);
	return (word & 0xfc000000) == 0x14000000 && a64_branch(word, at, &target) && target == to;
}

#endif

/* Where the function that the address is in begins; 0: not known. */
static uint64_t beginning(struct codes *codes, uint64_t address)
{
	const uint32_t code = code_at(codes, address);

	return code == NONE || !code_is_program(code_of(codes, code))
		       ? 0
		       : code_of(codes, code)->function;
}

static bool ends_by_jump(struct codes *codes, uint64_t from, uint64_t to)
{
	uint8_t bytes[JUMPER_BYTES];
	const size_t size = memory_read_some(codes->memory, from, sizeof bytes, bytes);

	if (beginning(codes, from) != from)
		return false;
	for (size_t at = 0, length; (length = instruction_length(bytes + at, size - at));
	     at += length)
		if (jumps(bytes + at, size - at, from + at, to))
			return beginning(codes, from + at) == from;
	return false;
}

uint64_t jumps_from(struct codes *codes, uint32_t place, uint64_t function)
{
	static uint8_t bytes[CALLER_BYTES];
	const uint64_t end = code_of(codes, place)->pc, start = code_of(codes, place)->function;
	uint64_t address, found = 0;

	if (!start || start > end || end - start > sizeof bytes)
		return 0;
	const size_t size = memory_read_some(codes->memory, start, (size_t)(end - start), bytes);

	for (size_t at = 0, length; (length = instruction_length(bytes + at, size - at));
	     at += length) {
		if (!loads(bytes + at, size - at, start + at, &address) || address == found)
			continue;
		/* What is loaded itself need not have been jumped to. */
		if (address == function)
			return function;
		if (ends_by_jump(codes, address, function))
			found = found ? SEVERAL_JUMP : address;
	}
	return found;
}
