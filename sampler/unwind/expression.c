/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind/expression.h"

#include <dwarf.h>

/* Those of PLTs and signal frames take a dozen steps, and four places. */
#define STEPS_MAX 256
#define PLACES_MAX 32

struct evaluation {
	struct bytes code;
	const struct registers *registers;
	const struct word_source *words;
	uint64_t place[PLACES_MAX];
	unsigned count;
	bool bad;
};

static void push(struct evaluation *e, uint64_t value)
{
	if (e->count == PLACES_MAX)
		e->bad = true;
	else
		e->place[e->count++] = value;
}

static uint64_t pop(struct evaluation *e)
{
	if (e->count == 0) {
		e->bad = true;
		return 0;
	}
	return e->place[--e->count];
}

static void push_register(struct evaluation *e, uint64_t number, int64_t offset)
{
	if (number >= this_machine.count || !(e->registers->known >> number & 1))
		e->bad = true;
	else
		push(e, e->registers->value[number] + (uint64_t)offset);
}

static void pick(struct evaluation *e, uint64_t depth)
{
	if (depth >= e->count)
		e->bad = true;
	else
		push(e, e->place[e->count - 1 - depth]);
}

static void dereference(struct evaluation *e)
{
	uint64_t value = 0;

	if (!e->words->read(e->words->context, pop(e), &value))
		e->bad = true;
	push(e, value);
}

static uint64_t shifted(uint64_t value, uint64_t count, bool left)
{
	if (count > 63)
		return 0;
	return left ? value << count : value >> count;
}

/* Of two: false: no such operation. */
static bool binary(struct evaluation *e, uint8_t code)
{
	if (code != DW_OP_and && code != DW_OP_minus && code != DW_OP_mul && code != DW_OP_or &&
	    code != DW_OP_plus && code != DW_OP_shl && code != DW_OP_shr && code != DW_OP_xor &&
	    (code < DW_OP_eq || code > DW_OP_ne))
		return false;
	uint64_t b = pop(e), a = pop(e);
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (code) {
	case DW_OP_and:
		push(e, a & b);
		break;
	case DW_OP_minus:
		push(e, a - b);
		break;
	case DW_OP_mul:
		push(e, a * b);
		break;
	case DW_OP_or:
		push(e, a | b);
		break;
	case DW_OP_plus:
		push(e, a + b);
		break;
	case DW_OP_shl:
		push(e, shifted(a, b, true));
		break;
	case DW_OP_shr:
		push(e, shifted(a, b, false));
		break;
	case DW_OP_xor:
		push(e, a ^ b);
		break;
	case DW_OP_eq:
		push(e, sa == sb);
		break;
	case DW_OP_ge:
		push(e, sa >= sb);
		break;
	case DW_OP_gt:
		push(e, sa > sb);
		break;
	case DW_OP_le:
		push(e, sa <= sb);
		break;
	case DW_OP_lt:
		push(e, sa < sb);
		break;
	default:
		push(e, sa != sb);
	}
	return true;
}

static bool constant(struct evaluation *e, uint8_t code)
{
	/* In the order of their codes: of 1, 2, 4 and 8 bytes, without sign and with it. */
	if (code >= DW_OP_const1u && code <= DW_OP_const8s) {
		size_t size = (size_t)1 << (code - DW_OP_const1u) / 2;

		push(e, (code - DW_OP_const1u) % 2 ? (uint64_t)bytes_signed(&e->code, size)
						   : bytes_unsigned(&e->code, size));
	} else if (code == DW_OP_constu) {
		push(e, bytes_uleb(&e->code));
	} else if (code == DW_OP_consts) {
		push(e, (uint64_t)bytes_sleb(&e->code));
	} else if (code >= DW_OP_lit0 && code <= DW_OP_lit31) {
		push(e, code - DW_OP_lit0);
	} else {
		return false;
	}
	return true;
}

static void step(struct evaluation *e)
{
	uint8_t code = (uint8_t)bytes_unsigned(&e->code, 1);
	uint64_t number;

	if (constant(e, code) || binary(e, code))
		return;
	if (code >= DW_OP_breg0 && code <= DW_OP_breg31) {
		push_register(e, code - DW_OP_breg0, bytes_sleb(&e->code));
		return;
	}
	switch (code) {
	case DW_OP_bregx:
		number = bytes_uleb(&e->code);
		push_register(e, number, bytes_sleb(&e->code));
		break;
	case DW_OP_deref:
		dereference(e);
		break;
	case DW_OP_dup:
		pick(e, 0);
		break;
	case DW_OP_over:
		pick(e, 1);
		break;
	case DW_OP_pick:
		pick(e, bytes_unsigned(&e->code, 1));
		break;
	case DW_OP_drop:
		pop(e);
		break;
	case DW_OP_plus_uconst:
		number = bytes_uleb(&e->code);
		push(e, pop(e) + number);
		break;
	case DW_OP_nop:
		break;
	default:
		e->bad = true;
	}
}

bool evaluate(struct bytes code, const struct registers *registers, const struct word_source *words,
	      const uint64_t *first, uint64_t *value)
{
	struct evaluation e = {.code = code, .registers = registers, .words = words};

	if (first)
		push(&e, *first);
	for (int steps = 0; e.code.at < e.code.size && !e.bad; steps++) {
		if (steps == STEPS_MAX)
			return false;
		step(&e);
		e.bad |= e.code.bad;
	}
	*value = pop(&e);
	return !e.bad;
}
