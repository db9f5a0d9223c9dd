/* SPDX-License-Identifier: Apache-2.0
 *
 * Unwinds by any bytes: an input's first bytes say how many of the others are .eh_frame and .eh_frame_hdr, the rest is
 * the stack. libFuzzer's target, and mutated.c's.
 */
#include "any_bytes.h"

#include <stdlib.h>
#include <string.h>

#include "unwind/entries.h"
#include "unwind/unwind.h"

#define HEADER_AT UINT64_C(0x90000000)
#define STACK_AT UINT64_C(0x7fff0000)

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

/* A copy of its own, so that what lies beside it is seen to be read. */
static uint8_t *copy(const uint8_t *bytes, size_t size)
{
	uint8_t *made = malloc(size ? size : 1);

	if (!made)
		abort();
	memcpy(made, bytes, size);
	return made;
}

static const struct cfi *find(void *context, uint64_t address, uint64_t *bias)
{
	(void)address;
	*bias = 0;
	return context;
}

static uint32_t walk(struct cfi *cfi, const struct any_head *head, const uint8_t *bytes,
		     size_t size)
{
	static struct frames frames;
	struct unwinder *unwinder = unwinder_create((struct cfi_source){find, cfi});
	const struct stack_copy stack = {bytes, STACK_AT, size, NULL};
	struct registers registers = {.known = (UINT64_C(1) << this_machine.count) - 1};

	for (unsigned i = 0; i < this_machine.count; i++)
		registers.value[i] = head->others + i;
	registers.value[this_machine.sp] = STACK_AT;
	registers.value[this_machine.pc] = head->pc;
	unwind(unwinder, registers, &stack, &frames);
	if (frames.count > FRAMES_MAX || (frames.whole && frames.beyond))
		abort();
	unwinder_destroy(unwinder);
	return frames.count;
}

uint32_t unwind_any(const uint8_t *input, size_t size)
{
	struct any_head head;

	if (size < sizeof head)
		return 0;
	memcpy(&head, input, sizeof head);
	input += sizeof head;
	size -= sizeof head;
	if (head.frames_size > size || head.header_size > size - head.frames_size)
		return 0;
	uint8_t *frames = copy(input, head.frames_size);
	uint8_t *header = copy(input + head.frames_size, head.header_size);
	size_t used = (size_t)head.frames_size + head.header_size;
	uint8_t *stack = copy(input + used, size - used);
	struct cfi cfi = {.header = head.header_size ? header : NULL,
			  .header_size = head.header_size,
			  .header_address = HEADER_AT,
			  .frames = frames,
			  .frames_size = head.frames_size,
			  .frames_address = FRAMES_AT,
			  .begins_threads = true};

	list_entries(&cfi);
	const uint32_t count = walk(&cfi, &head, stack, size - used);

	free(cfi.lines);
	free(frames);
	free(header);
	free(stack);
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	unwind_any(input, size);
	return 0;
}
