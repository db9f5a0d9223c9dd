/* SPDX-License-Identifier: Apache-2.0 */
#include "threads/known_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Of as many pages, or fewer, words are read at once. */
#define PIECES_MAX 4
#define WORD_BYTES sizeof(uint64_t)

/* What lies between the first and the last word of each page. */
struct pieces {
	struct memory_piece all[PIECES_MAX];
	size_t count;
	uint8_t bytes[PIECES_MAX * (PAGE_BYTES + WORD_BYTES)];
};

static bool is_in(const struct memory_piece *piece, uint64_t address)
{
	return address / PAGE_BYTES == piece->address / PAGE_BYTES;
}

static bool plan(const struct known_stack *known, struct pieces *pieces)
{
	struct memory_piece *last = NULL;

	pieces->count = 0;
	for (uint32_t i = 0; i < known->word_count; i++) {
		const uint64_t address = known->words[i].address;

		if (last && is_in(last, address)) {
			last->size = address + WORD_BYTES - last->address;
			continue;
		}
		if (pieces->count == PIECES_MAX)
			return false;
		last = &pieces->all[pieces->count++];
		*last = (struct memory_piece){address, WORD_BYTES};
	}
	return true;
}

static bool are_the_same(const struct known_stack *known, const struct pieces *pieces)
{
	const struct memory_piece *piece = pieces->all;
	const uint8_t *bytes = pieces->bytes;

	for (uint32_t i = 0; i < known->word_count; i++) {
		const struct stack_word *word = &known->words[i];

		if (!is_in(piece, word->address))
			bytes += piece++->size;
		if (memcmp(bytes + (word->address - piece->address), &word->value, WORD_BYTES) != 0)
			return false;
	}
	return true;
}

bool known_stack_holds(const struct known_stack *known, uint64_t sp, uint64_t pc, uint64_t images,
		       struct memory *memory)
{
	static struct pieces pieces;

	return known->frame_count && known->sp == sp && known->pc == pc &&
	       known->images == images && plan(known, &pieces) &&
	       memory_read_pieces(memory, pieces.all, pieces.count, pieces.bytes) &&
	       are_the_same(known, &pieces);
}

static int by_address(const void *left, const void *right)
{
	const uint64_t a = ((const struct stack_word *)left)->address;
	const uint64_t b = ((const struct stack_word *)right)->address;

	return (a > b) - (a < b);
}

void known_stack_keep(struct known_stack *known, struct known_stack stack)
{
	const struct stack_word *words = stack.words;
	const uint64_t *frames = stack.frames;

	known_stack_forget(known);
	stack.words = take_memory(stack.word_count, sizeof *words);
	stack.frames = take_memory(stack.frame_count, sizeof *frames);
	memcpy(stack.words, words, stack.word_count * sizeof *words);
	memcpy(stack.frames, frames, stack.frame_count * sizeof *frames);
	qsort(stack.words, stack.word_count, sizeof *stack.words, by_address);
	*known = stack;
}

void known_stack_forget(struct known_stack *known)
{
	free(known->words);
	free(known->frames);
	*known = (struct known_stack){0};
}
