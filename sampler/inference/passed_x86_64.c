/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "inference/passed.h"

/* As far before the call as compilers put what makes its arguments. */
#define CODE_BYTES 64

/* By the numbers that instructions have for them. */
#define REGISTERS 16
static const uint8_t of_argument[] = {7, 6, 2, 1, 8, 9};

/* Of the last bytes before the call: */
struct state {
	const struct call_code *of;
	const uint8_t *code;
	uint64_t start; /* the address of its first byte */
	size_t at, end; /* end: where the call begins */
	uint64_t value[REGISTERS];
	size_t since[REGISTERS]; /* where the instruction begins that first made what is in it */
	uint32_t known;          /* a bit each */
	size_t from;             /* where the instruction begins that is looked at */
	uint64_t begins;         /* where instructions begin, a bit each */
};

/* An instruction's operands, as its ModRM byte tells them. */
struct operands {
	unsigned reg, rm;
	bool in_memory, relative; /* relative: to the address of the next instruction */
	size_t size;              /* bytes from ModRM on */
	int32_t displacement;
};

static int32_t signed_at(const struct state *state, size_t at)
{
	int32_t value;

	memcpy(&value, state->code + at, sizeof value);
	return value;
}

static bool operands_at(const struct state *state, size_t at, unsigned rex, struct operands *found)
{
	if (at >= state->end)
		return false;
	const uint8_t modrm = state->code[at];
	const unsigned mode = modrm >> 6, low = modrm & 7;
	size_t size = 1;

	*found = (struct operands){.reg = (modrm >> 3 & 7) | (rex & 4 ? 8 : 0),
				   .rm = low | (rex & 1 ? 8 : 0),
				   .in_memory = mode != 3};
	if (mode != 3 && low == 4) {
		if (at + 1 >= state->end)
			return false;
		/* No base register: 32 bits of displacement. */
		size += mode == 0 && (state->code[at + 1] & 7) == 5 ? 5u : 1u;
	}
	found->relative = mode == 0 && low == 5;
	size += found->relative || mode == 2 ? 4u : mode == 1 ? 1u : 0u;
	found->size = size;
	if (at + size > state->end)
		return false;
	if (found->relative)
		found->displacement = signed_at(state, at + 1);
	return true;
}

static void set(struct state *state, unsigned reg, uint64_t value)
{
	state->value[reg] = value;
	state->since[reg] = state->from;
	state->known |= UINT32_C(1) << reg;
}

static void forget(struct state *state, unsigned reg)
{
	state->known &= ~(UINT32_C(1) << reg);
}

static void copy(struct state *state, unsigned to, unsigned from)
{
	if (!(state->known >> from & 1)) {
		forget(state, to);
		return;
	}
	set(state, to, state->value[from]);
	state->since[to] = state->since[from];
}

/* A word of memory, which changes as a rule. */
static void load(struct state *state, unsigned reg, uint64_t address)
{
	uint64_t value;

	if (state->of->constant(state->of->context, address, &value))
		set(state, reg, value);
	else
		forget(state, reg);
}

/* mov, lea and what else stands between such: false: it is not known what the instruction does. */
static bool step(struct state *state)
{
	size_t at = state->at;
	unsigned rex = 0;
	bool scalar = false; /* of floating point, or a no-op */
	struct operands of;

	while (at < state->end &&
	       (state->code[at] == 0x66 || state->code[at] == 0xf2 || state->code[at] == 0xf3)) {
		scalar = true;
		at++;
	}
	if (at < state->end && state->code[at] >> 4 == 4)
		rex = state->code[at++] & 15;
	if (at >= state->end)
		return false;
	const uint8_t opcode = state->code[at++];

	if (scalar && opcode != 0x0f && opcode != 0x90)
		return false;
	if (opcode >> 3 == 0xb8 >> 3 && !(rex & 8)) { /* mov $VALUE,%r32 */
		if (at + 4 > state->end)
			return false;
		set(state, (opcode & 7) | (rex & 1 ? 8 : 0), (uint32_t)signed_at(state, at));
		state->at = at + 4;
		return true;
	}
	if (opcode == 0x90) {
		state->at = at;
		return true;
	}
	if (opcode == 0x0f) {
		const uint8_t second = at < state->end ? state->code[at++] : 0;
		const bool moves = second == 0x10 || second == 0x11 || second == 0x28 ||
				   second == 0x29 || second == 0x6f || second == 0x7f ||
				   second == 0x1f || second == 0x57 || second == 0xef;

		if (!moves || !operands_at(state, at, rex, &of))
			return false;
		state->at = at + of.size;
		return true;
	}
	if (!operands_at(state, at, rex, &of))
		return false;
	const size_t next = at + of.size;

	state->at = next;
	switch (opcode) {
	case 0x8d: /* lea */
		if (!of.in_memory)
			return false;
		if (of.relative && rex & 8)
			set(state, of.reg,
			    state->start + next + (uint64_t)(int64_t)of.displacement);
		else
			forget(state, of.reg);
		return true;
	case 0x8b: /* mov to a register */
		if (of.in_memory && of.relative && rex & 8)
			load(state, of.reg,
			     state->start + next + (uint64_t)(int64_t)of.displacement);
		else if (of.in_memory || !(rex & 8))
			forget(state, of.reg);
		else
			copy(state, of.reg, of.rm);
		return true;
	case 0x89: /* mov from a register */
		if (of.in_memory)
			return true;
		if (rex & 8)
			copy(state, of.rm, of.reg);
		else
			forget(state, of.rm);
		return true;
	case 0xc7: /* mov $VALUE */
		if ((of.reg & 7) != 0 || next + 4 > state->end)
			return false;
		if (!of.in_memory)
			set(state, of.rm, (uint64_t)(int64_t)signed_at(state, next));
		state->at = next + 4;
		return true;
	case 0x31: /* xor */
	case 0x33:
		forget(state, opcode == 0x31 ? of.rm : of.reg);
		return !of.in_memory;
	case 0x63: /* movslq */
		forget(state, of.reg);
		return true;
	default:
		return false;
	}
}

/* From here on, if instructions begin here. false: they do not end where the call begins. */
static bool follow(struct state *state, size_t from)
{
	state->at = from;
	state->known = 0;
	state->begins = 0;
	while (state->at < state->end) {
		state->from = state->at;
		state->begins |= UINT64_C(1) << state->at;
		if (!step(state))
			return false;
	}
	state->begins |= UINT64_C(1) << state->end;
	return state->at == state->end;
}

/* Where a jump goes, if one begins here: from the code's beginning on, and beyond it too. 0: none does. */
static size_t jump(const struct call_code *code, size_t at)
{
	const uint8_t *bytes = code->bytes + at;
	const size_t left = code->size - at;
	const bool two = bytes[0] == 0x0f && left >= 6 && bytes[1] >> 4 == 8;
	int32_t distance;

	if (two || (bytes[0] == 0xe9 && left >= 5)) {
		memcpy(&distance, bytes + (two ? 2 : 1), sizeof distance);
		return at + (two ? 6 : 5) + (size_t)(ptrdiff_t)distance;
	}
	if ((bytes[0] >> 4 == 7 || bytes[0] == 0xeb || bytes[0] >> 2 == 0xe0 >> 2) && left >= 2)
		return at + 2 + (size_t)(ptrdiff_t)(int8_t)bytes[1];
	return 0;
}

/* Which of the last bytes are jumped to, a bit each. Bytes inside of instructions may look like jumps: then it is not known,
 * and needed not be. */
static uint64_t jumped_to(const struct call_code *code)
{
	const size_t first = code->end - CODE_BYTES;
	uint64_t found = 0;

	for (size_t at = 0; at < code->size; at++) {
		const size_t to = jump(code, at) - first;

		if (to < CODE_BYTES)
			found |= UINT64_C(1) << to;
	}
	return found;
}

/* Between what made it and the call: others would come there with something else. */
static bool is_joined(const struct state *state, unsigned reg, uint64_t targets)
{
	const uint64_t behind = ~UINT64_C(0) << state->since[reg] << 1;

	return targets & state->begins & behind;
}

bool passed_on_x86_64(const struct call_code *code, int argument, uint64_t *value)
{
	if (argument < 0 || (size_t)argument >= sizeof of_argument || code->end < CODE_BYTES)
		return false;
	const size_t first = code->end - CODE_BYTES;
	struct state state = {
		.of = code, .code = code->bytes + first, .start = code->start + first};
	const unsigned reg = of_argument[argument];
	bool found = false;

	if (state.code[CODE_BYTES - 5] == 0xe8)
		state.end = CODE_BYTES - 5;
	else if (state.code[CODE_BYTES - 6] == 0xff && state.code[CODE_BYTES - 5] == 0x15)
		state.end = CODE_BYTES - 6;
	else
		return false;
	const uint64_t targets = jumped_to(code);

	/* Where instructions begin is not known: of all places from which they come to the call, none may say otherwise. */
	for (size_t from = state.end; from-- > 0;) {
		if (!follow(&state, from) || !(state.known >> reg & 1))
			continue;
		if ((found && *value != state.value[reg]) || is_joined(&state, reg, targets))
			return false;
		*value = state.value[reg];
		found = true;
	}
	return found;
}
