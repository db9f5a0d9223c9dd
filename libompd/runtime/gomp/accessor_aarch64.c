/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "runtime/gomp/accessor_code.h"

/* The longest of the functions, as far as it is looked at. */
#define INSTRUCTIONS_MAX 24
#define REGISTERS 32 /* the last one is the stack pointer, or zero: nothing is known of it */
/* x0 to x18 and x30 are a callee's to change. */
#define KEPT_FIRST 19
#define LINK 30
#define NO_REGISTER REGISTERS

struct value {
	enum {
		UNKNOWN,
		CONSTANT,       /* number */
		WORD,           /* that lies at number */
		THREAD_POINTER, /* and number */
		THREAD_DATA,    /* gomp_tls_data */
		ELSEWHERE       /* an address that was loaded from gomp_tls_data */
	} kind;
	uint64_t number;
};

/* Code in the order in which it lies there: no function that is asked for goes back. */
struct walk {
	struct value registers[REGISTERS];
	uint32_t tested; /* a register that has proved zero, or NO_REGISTER */
	enum operand wanted;
	bool found;
	uint64_t operand;
};

static void note(struct walk *walk, enum operand kind, uint64_t operand)
{
	if (walk->found || kind != walk->wanted)
		return;
	walk->found = true;
	walk->operand = operand;
}

static void assign(struct walk *walk, uint32_t number, struct value value)
{
	if (number < REGISTERS - 1)
		walk->registers[number] = value;
}

static void forget(struct walk *walk, uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i <= last; i++)
		assign(walk, i, (struct value){0});
}

/* The lowest `bits' of it, with their sign. */
static int64_t as_signed(uint32_t field, unsigned bits)
{
	const int64_t value = field & ((UINT32_C(1) << bits) - 1);

	return value >> (bits - 1) ? value - (INT64_C(1) << bits) : value;
}

/* adr, adrp */
static void take_address(struct walk *walk, uint32_t word, target_addr at)
{
	const int64_t distance = as_signed((word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3), 21);
	struct value value = {CONSTANT, at + (uint64_t)distance};

	if (word >> 31)
		value.number = (at & ~UINT64_C(0xfff)) + ((uint64_t)distance << 12);
	else
		note(walk, OPERAND_ADDRESS, value.number);
	assign(walk, word & 31, value);
}

/* movz, and movk, which keeps the rest. Together they make what adrp and ldr took from the dynamic linker's table. */
static void move_wide(struct walk *walk, uint32_t word)
{
	const unsigned shift = 16 * (word >> 21 & 3);
	const uint64_t part = (uint64_t)(word >> 5 & 0xffff) << shift;
	struct value value = {CONSTANT, part};

	if ((word >> 29 & 3) == 3) {
		value = walk->registers[word & 31];
		value.number = (value.number & ~(UINT64_C(0xffff) << shift)) | part;
		if (value.kind != CONSTANT)
			value = (struct value){0};
	}
	assign(walk, word & 31, value);
}

/* add of a number */
static void add_number(struct walk *walk, uint32_t word)
{
	const uint64_t number = (uint64_t)(word >> 10 & 0xfff) << (word >> 22 & 1 ? 12 : 0);
	struct value value = walk->registers[word >> 5 & 31];

	if (value.kind == CONSTANT) {
		value.number += number;
		note(walk, OPERAND_ADDRESS, value.number);
	} else if (value.kind == THREAD_POINTER) {
		value.number += number;
	} else {
		if (value.kind == ELSEWHERE)
			note(walk, OPERAND_MEMBER_ADDRESS, number);
		value = (struct value){0};
	}
	assign(walk, word & 31, value);
}

/* add of two registers: a distance is added to the thread pointer. */
static void add_registers(struct walk *walk, uint32_t word)
{
	const struct value *pointer = &walk->registers[word >> 5 & 31];
	const struct value *distance = &walk->registers[word >> 16 & 31];
	struct value value = {0};

	if (pointer->kind != THREAD_POINTER) {
		const struct value *other = pointer;

		pointer = distance;
		distance = other;
	}
	if (pointer->kind == THREAD_POINTER) {
		if (distance->kind == CONSTANT)
			note(walk, OPERAND_NUMBER, pointer->number + distance->number);
		if (distance->kind == CONSTANT || distance->kind == WORD)
			value.kind = THREAD_DATA;
	}
	assign(walk, word & 31, value);
}

static void load_variable(struct walk *walk, uint32_t into, target_addr from, unsigned size)
{
	struct value value = {0};

	if (size == 8) {
		note(walk, OPERAND_WORD_VARIABLE, from);
		if (walk->tested == into)
			note(walk, OPERAND_WORD_CHOSEN, from);
		value = (struct value){WORD, from};
	} else if (size == 4) {
		note(walk, OPERAND_INT_VARIABLE, from);
	} else if (size == 1) {
		note(walk, OPERAND_BYTE_VARIABLE, from);
	}
	assign(walk, into, value);
}

static void load_member(struct walk *walk, uint32_t into, uint64_t offset, unsigned size,
			bool of_thread)
{
	struct value value = {0};

	if (size == 1)
		note(walk, OPERAND_MEMBER_BYTE, offset);
	if (of_thread && size == 4)
		note(walk, OPERAND_THREAD_INT, offset);
	if (of_thread && size == 8) {
		note(walk, OPERAND_THREAD_WORD, offset);
		value.kind = ELSEWHERE;
	}
	assign(walk, into, value);
}

static void load_placed(struct walk *walk, uint32_t into, uint64_t offset, unsigned size)
{
	struct value value = {0};

	if (size == 4)
		note(walk, OPERAND_PLACED_INT, offset);
	if (size == 8) {
		note(walk, OPERAND_PLACED_WORD, offset);
		value.kind = ELSEWHERE;
	}
	assign(walk, into, value);
}

/* ldr of a register, ldrb, ldrh: [base, #offset] */
static void load(struct walk *walk, uint32_t word)
{
	const unsigned size = 1U << (word >> 30);
	const uint64_t offset = (uint64_t)(word >> 10 & 0xfff) * size;
	const struct value base = walk->registers[word >> 5 & 31];

	if (base.kind == CONSTANT)
		load_variable(walk, word & 31, base.number + offset, size);
	else if (base.kind == THREAD_POINTER)
		load_placed(walk, word & 31, base.number + offset, size);
	else
		load_member(walk, word & 31, offset, size, base.kind == THREAD_DATA);
}

/* csel of two words: one of them is a variable. */
static void choose(struct walk *walk, uint32_t word)
{
	const struct value *left = &walk->registers[word >> 5 & 31];
	const struct value *right = &walk->registers[word >> 16 & 31];

	if ((left->kind == WORD) != (right->kind == WORD))
		note(walk, OPERAND_WORD_CHOSEN, left->kind == WORD ? left->number : right->number);
	assign(walk, word & 31, (struct value){0});
}

static void execute(struct walk *walk, uint32_t word, target_addr at)
{
	if ((word & 0x1f000000) == 0x10000000)
		take_address(walk, word, at);
	else if ((word & 0xdf800000) == 0xd2800000)
		move_wide(walk, word);
	else if ((word & 0xff800000) == 0x91000000)
		add_number(walk, word);
	else if ((word & 0xffe0fc00) == 0x8b000000)
		add_registers(walk, word);
	else if ((word & 0x3fc00000) == 0x39400000)
		load(walk, word);
	else if ((word & 0xffe00c00) == 0x9a800000)
		choose(walk, word);
	else if ((word & 0xffffffe0) == 0xd53bd040) /* mrs, of tpidr_el0 */
		assign(walk, word & 31, (struct value){THREAD_POINTER, 0});
	else if ((word & 0x7fe0ffe0) == 0x2a0003e0) /* mov of a register */
		assign(walk, word & 31,
		       word >> 31 ? walk->registers[word >> 16 & 31] : (struct value){0});
	else if ((word & 0xff800000) == 0x52800000) /* mov of a number */
		assign(walk, word & 31, (struct value){0});
	else if ((word & 0xffc0001f) != 0xf100001f && /* cmp of a number */
		 (word & 0xfe400000) !=
			 0xa8000000 && /* stp, which changes the stack pointer at most */
		 (word & 0x3fc00000) != 0x39000000 && /* str */
		 (word & 0xfffff01f) != 0xd503201f)   /* nop, bti, paciasp */
		forget(walk, 0, REGISTERS - 2);
}

/* One instruction. false: what lies behind is entered from elsewhere only. */
static bool step(struct walk *walk, uint32_t word, target_addr at)
{
	if ((word & 0xfe000000) == 0xd6000000 || (word & 0xfc000000) == 0x14000000)
		return false; /* ret, or a jump */
	if ((word & 0xff000000) == 0xb5000000) {
		walk->tested = word & 31; /* cbnz; what goes on is zero */
	} else if ((word & 0xfc000000) == 0x94000000) {
		if (walk->registers[0].kind == CONSTANT)
			note(walk, OPERAND_ARGUMENT, walk->registers[0].number);
		forget(walk, 0, KEPT_FIRST - 1);
		forget(walk, LINK, LINK);
	} else if ((word & 0xff000010) != 0x54000000 && (word & 0x7e000000) != 0x34000000) {
		execute(walk, word, at);
	}
	return true;
}

ompd_rc_t accessor_code_aarch64(const struct image *image, target_addr address, enum operand kind,
				uint64_t *ret)
{
	struct walk walk = {.tested = NO_REGISTER, .wanted = kind};
	uint8_t code[4 * INSTRUCTIONS_MAX];
	const ompd_rc_t rc = target_read(image->target, address, sizeof(code), code);

	if (rc != ompd_rc_ok)
		return rc;
	for (size_t i = 0; i < INSTRUCTIONS_MAX && !walk.found; i++) {
		const uint32_t word = (uint32_t)target_decode(image->target, code + 4 * i, 4);

		if (!step(&walk, word, address + 4 * i))
			break;
	}
	if (!walk.found)
		return ompd_rc_unavailable;
	*ret = walk.operand;
	return ompd_rc_ok;
}
