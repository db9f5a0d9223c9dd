/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/call_target.h"

#include <string.h>

#if defined __x86_64__

static uint64_t relative(const uint8_t *displacement, uint64_t next)
{
	int32_t value;

	memcpy(&value, displacement, sizeof value);
	return next + (uint64_t)(int64_t)value;
}

/* [endbr64] [bnd] jmp *SLOT(%rip): a PLT's entry; anything else is the function itself. */
static uint64_t behind_plt(struct memory *memory, uint64_t address)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint8_t code[11];
	uint64_t slot, target;
	size_t at = 0;

	if (!memory_read(memory, address, sizeof code, code))
		return address;
	if (memcmp(code, endbr, sizeof endbr) == 0)
		at += sizeof endbr;
	if (code[at] == 0xf2)
		at++;
	if (code[at] != 0xff || code[at + 1] != 0x25)
		return address;
	slot = relative(code + at + 2, address + at + 6);
	return memory_read(memory, slot, sizeof target, &target) ? target : 0;
}

struct call_target call_target_read(struct memory *memory, uint64_t returns)
{
	struct call_target found = {.direct = 0};
	uint8_t code[6];
	uint64_t target;

	if (!memory_read(memory, returns - sizeof code, sizeof code, code))
		return (struct call_target){.direct = -1};
	if (code[1] == 0xe8) {
		found.direct = 1;
		found.address = behind_plt(memory, relative(code + 2, returns));
	} else if (code[0] == 0xff && code[1] == 0x15) {
		/* call *SLOT(%rip): of -fno-plt */
		found.direct = 1;
		if (memory_read(memory, relative(code + 2, returns), sizeof target, &target))
			found.address = target;
	}
	return found;
}

#else

#define BTI_C UINT32_C(0xd503245f)

/* A field of so many bits as a signed number. */
static int64_t signed_field(uint32_t word, unsigned at, unsigned bits)
{
	const uint64_t field = word >> at & ((UINT64_C(1) << bits) - 1);
	const uint64_t sign = UINT64_C(1) << (bits - 1);

	return (int64_t)(field ^ sign) - (int64_t)sign;
}

/* [bti c] adrp x16, PAGE; ldr x17, [x16, OFFSET]: a PLT's entry; anything else is the function itself. */
static uint64_t behind_plt(struct memory *memory, uint64_t address)
{
	uint32_t code[3];
	uint64_t target;

	if (!memory_read(memory, address, sizeof code, code))
		return address;
	const unsigned at = code[0] == BTI_C;

	if ((code[at] & 0x9f00001f) != 0x90000010 || (code[at + 1] & 0xffc003ff) != 0xf9400211)
		return address;
	const uint64_t pages = (uint64_t)signed_field(code[at], 5, 19) << 2 | (code[at] >> 29 & 3);
	const uint64_t page = ((address + 4 * at) & ~UINT64_C(0xfff)) + (pages << 12);
	const uint64_t slot = page + 8 * (code[at + 1] >> 10 & 0xfff);

	return memory_read(memory, slot, sizeof target, &target) ? target : 0;
}

struct call_target call_target_read(struct memory *memory, uint64_t returns)
{
	struct call_target found = {.direct = 0};
	uint32_t code;

	if (!memory_read(memory, returns - sizeof code, sizeof code, &code))
		return (struct call_target){.direct = -1};
	if (code >> 26 == 0x25) { /* bl */
		found.direct = 1;
		found.address =
			behind_plt(memory, returns - 4 + 4 * (uint64_t)signed_field(code, 0, 26));
	}
	return found;
}

#endif
