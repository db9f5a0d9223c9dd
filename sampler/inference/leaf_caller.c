/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/leaf_caller.h"

#include <string.h>

#include "inference/a64_words.h"
#include "inference/call_target.h"
#include "names/names.h"
#include "unwind/machine.h"

#if defined __aarch64__

/* A function's code; of longer ones the rest is not looked at. */
#define WORDS_MAX 4096
/* That end with each other. */
#define FUNCTIONS_MAX 16

struct function {
	uint64_t start, end;
};

static bool function_at(const struct images *images, uint64_t address, struct function *function)
{
	return images_function(images, address, &function->start, &function->end);
}

static size_t read_words(const struct images *images, const struct function *function,
			 uint32_t words[WORDS_MAX])
{
	size_t size = (size_t)(function->end - function->start) & ~(size_t)3;

	if (size > WORDS_MAX * sizeof *words)
		size = WORDS_MAX * sizeof *words;
	return memory_read(images->memory, function->start, size, words) ? size / sizeof *words : 0;
}

/* A function that another one ends with. false: there are too many. */
static bool add(const struct images *images, uint64_t start, struct function *functions,
		size_t *count)
{
	struct function function;

	if (!function_at(images, start, &function) || function.start != start)
		return true;
	for (size_t i = 0; i < *count; i++)
		if (functions[i].start == start)
			return true;
	if (*count == FUNCTIONS_MAX)
		return false;
	functions[(*count)++] = function;
	return true;
}

/* Behind a call of the leaf in one of the functions that end up there, in the place of the first: each may make way for
 * others. 0: in none, or in more than one. */
static uint64_t call_of(const struct images *images, struct function first, uint64_t leaf)
{
	static uint32_t words[WORDS_MAX];
	struct function functions[FUNCTIONS_MAX] = {first};
	size_t count = 1;
	uint64_t found = 0, target;

	for (size_t i = 0; i < count; i++) {
		const struct function one = functions[i];
		const size_t size = read_words(images, &one, words);
		bool calls = false;

		for (size_t k = 0; k < size; k++) {
			const uint64_t at = one.start + 4 * k;

			if (words[k] >> 26 == 0x25 && !calls &&
			    call_target_read(images->memory, at + 4).address == leaf) {
				if (found)
					return 0;
				found = at + 4;
				calls = true;
			} else if (words[k] >> 26 == 5 && a64_branch(words[k], at, &target) &&
				   (target < one.start || target >= one.end) &&
				   !add(images, target, functions, &count)) {
				return 0;
			}
		}
	}
	return found;
}

/* By the call behind which the caller returns: it calls the caller, or who makes way for it. 0: not known. */
static uint64_t find(const struct images *images, uint64_t pc, uint64_t outer)
{
	struct image *image = image_at(images, pc);
	const uint64_t leaf = image ? name_function(image, pc).start : 0;
	struct function caller;

	if (!leaf || !image_at(images, outer - 1))
		return 0;
	const uint64_t called = call_target_read(images->memory, outer).address;

	if (!called || !function_at(images, called, &caller) || caller.start != called)
		return 0;
	return call_of(images, caller, leaf);
}

/* The caller's frame begins at the stack pointer, as gcc builds it: with its own caller's frame, and where it returns to. That
 * the words are this is proven by what is called in front of there. */
bool leaf_caller(struct leaf_callers *callers, uint64_t pc, const uint8_t stack[LEAF_CALLER_BYTES],
		 uint64_t *returns, uint64_t *outer)
{
	memcpy(outer, stack + 8, sizeof *outer);
	*outer = machine_plain_address(*outer);
	const size_t slot = *outer / 4 % (sizeof callers->known / sizeof *callers->known);

	if (callers->known[slot].pc != pc || callers->known[slot].outer != *outer) {
		callers->known[slot].pc = pc;
		callers->known[slot].outer = *outer;
		callers->known[slot].returns = find(callers->images, pc, *outer);
	}
	*returns = callers->known[slot].returns;
	return *returns != 0;
}

#else

bool leaf_caller(struct leaf_callers *callers, uint64_t pc, const uint8_t stack[LEAF_CALLER_BYTES],
		 uint64_t *returns, uint64_t *outer)
{
	(void)callers;
	(void)pc;
	(void)stack;
	(void)returns;
	(void)outer;
	return false;
}

#endif
