/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/call_target.h"

#include <string.h>

#include "inference/a64_words.h"

static bool asks_linker(struct memory *memory, uint64_t address);

static void take_slot(struct memory *memory, uint64_t slot, struct call_target *found)
{
	uint64_t target;

	found->address = 0;
	if (!memory_read(memory, slot, sizeof target, &target))
		return;
	found->unresolved = asks_linker(memory, target);
	if (!found->unresolved)
		found->address = target;
}

#if defined __x86_64__

static uint64_t relative(const uint8_t *displacement, uint64_t next)
{
	int32_t value;

	memcpy(&value, displacement, sizeof value);
	return next + (uint64_t)(int64_t)value;
}

static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};

/* [endbr64] push $NUMBER: the PLT's way to the dynamic linker. */
static bool asks_linker(struct memory *memory, uint64_t address)
{
	uint8_t code[sizeof endbr + 1];

	if (!memory_read(memory, address, sizeof code, code))
		return false;
	return code[memcmp(code, endbr, sizeof endbr) == 0 ? sizeof endbr : 0] == 0x68;
}

/* [endbr64] [bnd] jmp *SLOT(%rip): a PLT's entry; anything else is the function itself. */
static void look_behind_plt(struct memory *memory, uint64_t address, struct call_target *found)
{
	uint8_t code[11];
	size_t at = 0;

	found->address = address;
	if (!memory_read(memory, address, sizeof code, code))
		return;
	if (memcmp(code, endbr, sizeof endbr) == 0)
		at += sizeof endbr;
	if (code[at] == 0xf2)
		at++;
	if (code[at] == 0xff && code[at + 1] == 0x25)
		take_slot(memory, relative(code + at + 2, address + at + 6), found);
}

struct call_target call_target_read(struct memory *memory, uint64_t returns)
{
	struct call_target found = {.direct = 0};
	uint8_t code[6];

	if (!memory_read(memory, returns - sizeof code, sizeof code, code))
		return (struct call_target){.direct = -1};
	if (code[1] == 0xe8) {
		found.direct = 1;
		look_behind_plt(memory, relative(code + 2, returns), &found);
	} else if (code[0] == 0xff && code[1] == 0x15) {
		/* call *SLOT(%rip): of -fno-plt */
		found.direct = 1;
		take_slot(memory, relative(code + 2, returns), &found);
	}
	return found;
}

#else

#define BTI_C UINT32_C(0xd503245f)

/* stp x16, x30, [sp, #-16]! */
#define PUSH_SLOT UINT32_C(0xa9bf7bf0)

/* [bti c] stp x16, x30, ...: the PLT's way to the dynamic linker. */
static bool asks_linker(struct memory *memory, uint64_t address)
{
	uint32_t code[2];

	return memory_read(memory, address, sizeof code, code) &&
	       code[code[0] == BTI_C] == PUSH_SLOT;
}

/* [bti c] adrp x16, PAGE; ldr x17, [x16, OFFSET]: a PLT's entry; anything else is the function itself. */
static void look_behind_plt(struct memory *memory, uint64_t address, struct call_target *found)
{
	uint32_t code[3];
	uint64_t page;

	found->address = address;
	if (!memory_read(memory, address, sizeof code, code))
		return;
	const unsigned at = code[0] == BTI_C;

	if ((code[at] & 0x1f) == 16 && (code[at + 1] & 0xffc003ff) == 0xf9400211 &&
	    a64_address(code[at], address + 4 * at, &page))
		take_slot(memory, page + 8 * (code[at + 1] >> 10 & 0xfff), found);
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
		look_behind_plt(memory, target, &found);
	}
	return found;
}

#endif
