/* SPDX-License-Identifier: Apache-2.0
 *
 * A return address of 0, or information that there is none, is the end of a stack in the C library's code, where threads
 * begin. In a program's, but for where it begins itself, it is what damaged information says, and of the stack no more is
 * known. And where frames are found by a register that each function keeps for its caller, the way up leads over all of
 * them, though it is read only when it is wanted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/entries.h"
#include "unwind/unwind.h"

#define CODE UINT64_C(0x400000)
#define CODE_BYTES UINT64_C(0x1000)
#define STACK UINT64_C(0x7000000)

/* The CFA is the stack pointer + 8, and the return address at the CFA - 8. */
static const uint8_t common[] = {20, 0,    0,  0, 0,    0,    0,    0,    1,    'z',  'R', 0,
				 1,  0x78, 16, 1, 0x00, 0x0c, 0x07, 0x08, 0x90, 0x01, 0,   0};

/* In place of the return address's rule: there is none. */
#define AT_RULE 20
static const uint8_t undefined[] = {0x07, 16};

/* In place of all rules: the CFA is RBX + 16, the return address at the CFA - 8, RBX at the CFA - 16. */
#define AT_RULES 17
#define RBX 3
static const uint8_t by_rbx[] = {0x0c, RBX, 16, 0x90, 0x01, 0x80 | RBX, 0x02};

struct own {
	uint8_t common[sizeof common];
	uint32_t length, back;
	uint64_t begin, size;
	uint8_t rest[8]; /* no augmentation, nops */
	uint32_t end;
};

static const struct cfi *find(void *context, uint64_t address, uint64_t *bias)
{
	*bias = 0;
	return address - CODE < CODE_BYTES ? context : NULL;
}

enum end { BY_ZERO, BY_RULE };

static bool is_whole(enum end end, bool begins_threads, uint64_t entry)
{
	struct own own = {
		.length = 32 - 4, .back = sizeof common + 4, .begin = CODE, .size = CODE_BYTES};
	struct cfi cfi = {.frames = (const uint8_t *)&own,
			  .frames_size = sizeof own,
			  .begins_threads = begins_threads,
			  .entry = entry};
	const uint64_t words[] = {CODE + 64, 0, 0};
	const unsigned count = end == BY_ZERO ? 2 : 1;
	const struct stack_copy stack = {(const uint8_t *)words, STACK, sizeof words, NULL};
	struct registers registers = {.known = UINT64_C(1) << this_machine.sp |
					       UINT64_C(1) << this_machine.pc};
	static struct frames frames;

	memcpy(own.common, common, sizeof common);
	if (end == BY_RULE)
		memcpy(own.common + AT_RULE, undefined, sizeof undefined);
	registers.value[this_machine.sp] = STACK;
	registers.value[this_machine.pc] = CODE + 32;
	list_entries(&cfi);
	struct unwinder *unwinder = unwinder_create((struct cfi_source){find, &cfi});

	unwind(unwinder, registers, &stack, &frames);
	unwinder_destroy(unwinder);
	free(cfi.lines);
	if (frames.count != count)
		printf("%u frames\n", frames.count);
	return frames.count == count && frames.whole;
}

static bool goes_up_by_rbx(void)
{
	struct own own = {
		.length = 32 - 4, .back = sizeof common + 4, .begin = CODE, .size = CODE_BYTES};
	struct cfi cfi = {
		.frames = (const uint8_t *)&own, .frames_size = sizeof own, .begins_threads = true};
	const uint64_t words[] = {STACK + 32, CODE + 64, 0, 0, STACK + 64, CODE + 96, 0, 0, 0, 0};
	const struct stack_copy stack = {(const uint8_t *)words, STACK, sizeof words, NULL};
	struct registers registers = {.known = UINT64_C(1) << this_machine.sp |
					       UINT64_C(1) << this_machine.pc | UINT64_C(1) << RBX};
	static struct frames frames;

	memcpy(own.common, common, sizeof common);
	memcpy(own.common + AT_RULES, by_rbx, sizeof by_rbx);
	registers.value[this_machine.sp] = registers.value[RBX] = STACK;
	registers.value[this_machine.pc] = CODE + 32;
	list_entries(&cfi);
	struct unwinder *unwinder = unwinder_create((struct cfi_source){find, &cfi});

	unwind(unwinder, registers, &stack, &frames);
	unwinder_destroy(unwinder);
	free(cfi.lines);
	if (frames.count != 3)
		printf("%u frames by RBX\n", frames.count);
	return frames.count == 3 && frames.whole && frames.pc[2] == CODE + 96 - 1;
}

int main(void)
{
	if (!goes_up_by_rbx())
		return 1;
	if (!is_whole(BY_ZERO, true, 0) || is_whole(BY_ZERO, false, 0))
		return 1;
	return !is_whole(BY_RULE, true, 0) || is_whole(BY_RULE, false, 0) ||
	       !is_whole(BY_RULE, false, CODE) || is_whole(BY_RULE, false, CODE + CODE_BYTES);
}
