/* SPDX-License-Identifier: Apache-2.0
 *
 * Whom a call calls is known soon after the dynamic linker has looked for it, also if the call was met before: of our own
 * process.
 */
#include <elf.h>
#include <stdio.h>
#include <unistd.h>

#include "inference/call_target.h"
#include "inference/code.h"
#include "names/names.h"
#include "unwind/machine.h"

#define CODE_BYTES 256
/* It is looked at again when it has been met twice as often. */
#define MEETINGS 100

void GOMP_barrier(void);

static volatile int returned;

__attribute__((noinline)) static void call(void)
{
	GOMP_barrier();
	returned++;
}

/* To where its call returns; 0: there is none. */
static uint64_t end_of_call(struct memory *memory)
{
	const uint64_t start = (uint64_t)(uintptr_t)call;
	const unsigned step = this_machine.elf_machine == EM_AARCH64 ? 4 : 1;

	for (uint64_t at = start + 5 - 5 % step; at < start + CODE_BYTES; at += step)
		if (call_target_read(memory, at).direct == 1)
			return at;
	return 0;
}

static const struct code *met(struct codes *codes, uint64_t pc, int times)
{
	uint32_t number = NONE;

	while (times-- > 0)
		number = code_at(codes, pc);
	return code_of(codes, number);
}

static bool is_a_barrier(const struct code *code)
{
	return code->is_called && code->called.function_class == ompdx_function_entry &&
	       code->called.wait == ompdx_wait_barrier;
}

int main(void)
{
	struct process process;
	struct memory memory;
	struct images images;
	struct codes codes;

	process_init(&process, getpid());
	memory_init(&memory, getpid(), true);
	images_init(&images, &process, &memory);
	images_refresh(&images);
	codes_init(&codes, &images, &memory, NULL);
	const uint64_t end = end_of_call(&memory);

	if (!end || met(&codes, end - 1, MEETINGS)->is_called) {
		puts("it is known before it is called: this shows nothing");
		return 1;
	}
	call();
	const bool soon = is_a_barrier(met(&codes, end - 1, MEETINGS));

	printf("behind the call: %s\n", soon ? "known" : "not known");
	codes_deinit(&codes);
	for (size_t i = 0; i < images.count; i++)
		names_release(images.all[i]);
	images_deinit(&images);
	memory_deinit(&memory);
	return !soon;
}
