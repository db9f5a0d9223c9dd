/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/call_target.h"

#include <string.h>

#include "inference/a64_words.h"

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

/* [bti c] adrp x16, PAGE; ldr x17, [x16, OFFSET]: a PLT's entry; anything else is the function itself. */
static uint64_t behind_plt(struct memory *memory, uint64_t address)
{
	uint32_t code[3];
	uint64_t page, target;

	if (!memory_read(memory, address, sizeof code, code))
		return address;
	const unsigned at = code[0] == BTI_C;

	if ((code[at] & 0x1f) != 16 || (code[at + 1] & 0xffc003ff) != 0xf9400211 ||
	    !a64_address(code[at], address + 4 * at, &page))
		return address;
	const uint64_t slot = page + 8 * (code[at + 1] >> 10 & 0xfff);

	return memory_read(memory, slot, sizeof target, &target) ? target : 0;
}

struct call_target call_target_read(struct memory *memory, uint64_t returns)
{
	struct call_target found = {.direct = 0};
	uint32_t code;
	uint64_t target;

	if (!memory_read(memory, returns - sizeof code, sizeof code, &code))
		return (struct call_target){.direct = -1};
	if (code >> 26 == 0x25 && a64_branch(code, returns - 4, &target)) { /* bl */
		found.direct = 1;
		found.address = behind_plt(memory, target);
	}
	return found;
}

#endif
