/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a stack that has changed taken for the one that is known? Ours is a few pages of our own.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "threads/known_stack.h"

#define PAGES 8
#define WORDS (PAGES * PAGE_BYTES / sizeof(uint64_t))

static unsigned failures;

static void expect(bool is, bool should, const char *what)
{
	if (is == should)
		return;
	fprintf(stderr, "%s: %d\n", what, is);
	failures++;
}

int main(void)
{
	uint64_t *stack = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* Not in order, in two pages, one of them in both. */
	const size_t read[] = {600, 3, 511, 700, 4};
	uint64_t frames[] = {11, 22, 33};
	struct stack_word words[5];
	struct known_stack known = {0};
	struct memory memory;

	memory_init(&memory, getpid(), true);
	for (size_t i = 0; i < WORDS; i++)
		stack[i] = i * 1000;
	for (size_t i = 0; i < 5; i++) {
		words[i].address = (uint64_t)(uintptr_t)&stack[read[i]] + (read[i] == 511 ? 4 : 0);
		memcpy(&words[i].value, (void *)(uintptr_t)words[i].address, sizeof words[i].value);
	}
	expect(known_stack_holds(&known, 1, 2, 3, &memory), false, "none is known");
	known_stack_keep(&known, (struct known_stack){1, 2, 3, words, frames, 5, 3});
	expect(known_stack_holds(&known, 1, 2, 3, &memory), true, "as it was");
	expect(known.frame_count == 3 && known.frames[2] == 33, true, "its frames");
	expect(known_stack_holds(&known, 8, 2, 3, &memory), false, "elsewhere on the stack");
	expect(known_stack_holds(&known, 1, 8, 3, &memory), false, "elsewhere in the code");
	expect(known_stack_holds(&known, 1, 2, 8, &memory), false, "other code is mapped");
	stack[5]++;
	expect(known_stack_holds(&known, 1, 2, 3, &memory), true, "a word that nobody wanted");
	for (size_t i = 0; i < 5; i++) {
		stack[read[i]] ^= UINT64_C(1) << 40;
		expect(known_stack_holds(&known, 1, 2, 3, &memory), false, "a word is another");
		stack[read[i]] ^= UINT64_C(1) << 40;
	}
	munmap((uint8_t *)stack + PAGE_BYTES, PAGE_BYTES);
	expect(known_stack_holds(&known, 1, 2, 3, &memory), false, "a page is gone");
	known_stack_forget(&known);
	expect(known_stack_holds(&known, 1, 2, 3, &memory), false, "forgotten");
	memory_deinit(&memory);
	return failures != 0;
}
