/* SPDX-License-Identifier: Apache-2.0
 *
 * A return address of 0 is the end of a stack in the C library's code, where threads begin; in a program's it is what
 * damaged information takes for one, and of the stack no more is known.
 */
#include <stdio.h>
#include <string.h>

#include "unwind/unwind.h"

#define CODE UINT64_C(0x400000)
#define CODE_BYTES UINT64_C(0x1000)
#define STACK UINT64_C(0x7000000)

/* The CFA is the stack pointer + 8, and the return address at the CFA - 8. */
static const uint8_t common[] = {20, 0,    0,  0, 0,    0,    0,    0,    1,    'z',  'R', 0,
				 1,  0x78, 16, 1, 0x00, 0x0c, 0x07, 0x08, 0x90, 0x01, 0,   0};

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

static bool is_whole(bool begins_threads)
{
	struct own own = {
		.length = 32 - 4, .back = sizeof common + 4, .begin = CODE, .size = CODE_BYTES};
	struct cfi cfi = {.frames = (const uint8_t *)&own,
			  .frames_size = sizeof own,
			  .begins_threads = begins_threads};
	const uint64_t words[] = {CODE + 64, 0, 0};
	const struct stack_copy stack = {(const uint8_t *)words, STACK, sizeof words, NULL};
	struct registers registers = {.known = UINT64_C(1) << this_machine.sp |
					       UINT64_C(1) << this_machine.pc};
	static struct frames frames;

	memcpy(own.common, common, sizeof common);
	registers.value[this_machine.sp] = STACK;
	registers.value[this_machine.pc] = CODE + 32;
	struct unwinder *unwinder = unwinder_create((struct cfi_source){find, &cfi});

	unwind(unwinder, registers, &stack, &frames);
	unwinder_destroy(unwinder);
	if (frames.count != 2)
		printf("%u frames\n", frames.count);
	return frames.count == 2 && frames.whole;
}

int main(void)
{
	return !is_whole(true) || is_whole(false);
}
