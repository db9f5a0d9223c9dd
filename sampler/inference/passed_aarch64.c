/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "inference/a64_words.h"
#include "inference/passed.h"

/* As far before the call as compilers put what makes its arguments: a bit each. */
#define WORDS 32

/* The last is the stack pointer, or none. */
#define REGISTERS 31
#define ARGUMENTS 8
#define LINK 30
/* What a function may leave behind as it likes: x0 to x18, and where it returns to. */
#define SCRATCH (UINT32_C(0x7ffff) | UINT32_C(1) << LINK)

struct state {
	const struct call_code *of;
	uint64_t value[REGISTERS];
	unsigned since[REGISTERS]; /* which instruction first made what is in it */
	uint32_t known;            /* a bit each */
	unsigned at;               /* the instruction that is looked at */
};

static unsigned field(uint32_t word, unsigned at)
{
	return word >> at & 31;
}

static void forget(struct state *state, unsigned reg)
{
	state->known &= ~(UINT32_C(1) << reg);
}

/* since: the first instruction that had a part in it. */
static void set(struct state *state, unsigned reg, uint64_t value, unsigned since)
{
	if (reg == REGISTERS)
		return;
	state->value[reg] = value;
	state->since[reg] = since;
	state->known |= UINT32_C(1) << reg;
}

static bool is_known(const struct state *state, unsigned reg)
{
	return reg < REGISTERS && state->known >> reg & 1;
}

/* add and sub of a constant; adr, adrp. */
static void immediate(struct state *state, uint32_t word, uint64_t pc)
{
	const unsigned to = field(word, 0), from = field(word, 5);
	uint64_t value;

	if (a64_address(word, pc, &value)) {
		set(state, to, value, state->at);
	} else if ((word & 0xbf800000) == 0x91000000 && is_known(state, from)) {
		value = (uint64_t)(word >> 10 & 0xfff) << (word >> 22 & 1 ? 12 : 0);
		value = state->value[from] + (word >> 30 & 1 ? 0 - value : value);
		set(state, to, value, state->since[from]);
	} else {
		forget(state, to);
	}
}

/* A function that calls has stored where it returns to first: what is before that is another's. */
static bool begins_function(uint32_t word)
{
	const bool pair = (word >> 27 & 7) == 5, stores = !(word >> 22 & (pair ? 1 : 3));

	return !(word >> 26 & 1) && stores &&
	       (field(word, 0) == LINK || (pair && field(word, 10) == LINK));
}

/* A load into a register, of which the rest writes none; a store. */
static void memory_access(struct state *state, uint32_t word)
{
	const unsigned to = field(word, 0), base = field(word, 5);
	const unsigned of = word >> 27 & 7, mode = word >> 23 & 3;
	const bool vector = word >> 26 & 1;
	uint64_t value;

	if (begins_function(word)) {
		state->known = 0;
		return;
	}
	if (of == 7 && mode >> 1) { /* with an unsigned offset */
		const bool stores = (word >> 22 & 3) == 0;

		if (vector || stores)
			return;
		if ((word & 0xffc00000) == 0xf9400000 && is_known(state, base) &&
		    state->of->constant(state->of->context,
					state->value[base] + 8 * (word >> 10 & 0xfff), &value))
			set(state, to, value, state->since[base]);
		else
			forget(state, to);
		return;
	}
	if (of == 5 && (word >> 23 & 7) == 2 &&
	    !(vector || word >> 22 & 1)) /* stp, with an offset */
		return;
	if (of == 7 && !(word >> 21 & 1) && (word >> 10 & 3) == 0 &&
	    (vector || (word >> 22 & 3) == 0)) /* stur */
		return;
	/* With writing back, pairs, atomics: whatever they name. */
	forget(state, to);
	forget(state, base);
	forget(state, field(word, 10));
	forget(state, field(word, 16));
}

/* A branch that is not taken, a call, and what is of the system. */
static void branch(struct state *state, uint32_t word)
{
	uint64_t target;

	if (word >> 26 != 0x25 && a64_branch(word, 0, &target))
		return;
	if (word >> 24 == 0xd5)
		forget(state, field(word, 0));
	else
		state->known &= ~SCRATCH;
}

static void step(struct state *state, uint32_t word, uint64_t pc)
{
	const unsigned group = word >> 25 & 15;

	if (group >> 1 == 4)
		immediate(state, word, pc);
	else if ((group & 5) == 4)
		memory_access(state, word);
	else if (group >> 1 == 5)
		branch(state, word);
	else if ((word & 0xffe0ffe0) == 0xaa0003e0 && is_known(state, field(word, 16))) /* mov */
		set(state, field(word, 0), state->value[field(word, 16)],
		    state->since[field(word, 16)]);
	else
		forget(state, field(word, 0));
}

/* b, br, ret and the like: whoever is behind it has come there from elsewhere. */
static bool goes_away(uint32_t word)
{
	return word >> 26 == 5 || ((word & 0xfe000000) == 0xd6000000 && (word >> 21 & 15) != 1 &&
				   (word >> 21 & 15) != 9);
}

static uint32_t word_at(const struct call_code *code, size_t at)
{
	uint32_t word;

	memcpy(&word, code->bytes + at, sizeof word);
	return word;
}

/* Which of the last words are jumped to, a bit each. */
static uint32_t jumped_to(const struct call_code *code, size_t first)
{
	uint32_t found = 0;
	uint64_t target;

	for (size_t at = first % 4; at + 4 <= code->size; at += 4) {
		const uint32_t word = word_at(code, at);

		if (word >> 26 == 0x25 || !a64_branch(word, code->start + at, &target))
			continue;
		const uint64_t to = (target - code->start - first) / 4;

		if (target >= code->start + first && to < WORDS)
			found |= UINT32_C(1) << to;
	}
	return found;
}

bool passed_on_aarch64(const struct call_code *code, int argument, uint64_t *value)
{
	struct state state = {.of = code};

	if (argument < 0 || argument >= ARGUMENTS || code->end < 4 * (size_t)WORDS)
		return false;
	const size_t first = code->end - 4 * (size_t)WORDS;
	const unsigned call = WORDS - 1;
	const uint32_t last = word_at(code, first + 4 * (size_t)call);

	if (last >> 26 != 0x25 && (last & 0xfe000000) != 0xd6000000)
		return false;
	for (state.at = 0; state.at < call; state.at++) {
		const size_t at = first + 4 * (size_t)state.at;
		const uint32_t word = word_at(code, at);

		if (goes_away(word))
			state.known = 0;
		else
			step(&state, word, code->start + at);
	}
	const unsigned reg = (unsigned)argument;

	/* Between what made it and the call others would come with something else. */
	if (!is_known(&state, reg) ||
	    jumped_to(code, first) & (~UINT32_C(0) << state.since[reg] << 1))
		return false;
	*value = state.value[reg];
	return true;
}
