/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "inference/instruction.h"

/* How an instruction goes on behind its opcode, a letter for each opcode:
 * - nothing, m ModRM, b ModRM and a byte, M ModRM and a word of the operand's size, 1 a byte, 2 two, 3 three,
 * w a word of the operand's size, v one that may have eight bytes, d four bytes, a an address,
 * t and T ModRM and, for two of the eight operations, a byte or a word; x no such instruction. */
static const char one_byte[] = "mmmm1wxxmmmm1wxx"
			       "mmmm1wxxmmmm1wxx"
			       "mmmm1wxxmmmm1wxx"
			       "mmmm1wxxmmmm1wxx"
			       "xxxxxxxxxxxxxxxx"
			       "----------------"
			       "xxxmxxxxwM1b----"
			       "1111111111111111"
			       "bMxbmmmmmmmmmmmm"
			       "----------x-----"
			       "aaaa----1w------"
			       "11111111vvvvvvvv"
			       "bb2-xxbM3-2--1x-"
			       "mmmmxxx-mmmmmmmm"
			       "11111111ddx1----"
			       "x-xx--tT------mm";

/* Behind 0x0f. */
static const char two_bytes[] = "mmmmx-----x-xm-b"
				"mmmmmmmmmmmmmmmm"
				"mmmmxxxxmmmmmmmm"
				"--------xxxxxxxx"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"bbbbmmm-mmxxmmmm"
				"dddddddddddddddd"
				"mmmmmmmmmmmmmmmm"
				"---mbmxx---mbmmm"
				"mmmmmmmmmmbmmmmm"
				"mmbmbbbm--------"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm";

struct reader {
	const uint8_t *code;
	size_t size, at;
	bool short_operand, wide_operand, short_address;
};

static uint8_t peek(const struct reader *reader, size_t ahead)
{
	return reader->at + ahead < reader->size ? reader->code[reader->at + ahead] : 0;
}

static bool is_prefix(uint8_t byte)
{
	return byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x64 ||
	       byte == 0x65 || byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 ||
	       byte == 0xf3;
}

static void skip_prefixes(struct reader *reader)
{
	for (; is_prefix(peek(reader, 0)); reader->at++) {
		reader->short_operand |= peek(reader, 0) == 0x66;
		reader->short_address |= peek(reader, 0) == 0x67;
	}
	if (peek(reader, 0) >> 4 == 4) {
		reader->wide_operand = peek(reader, 0) & 8;
		reader->at++;
	}
}

/* Of vector extensions: in which of the tables of opcodes this one is. */
static char vector_form(struct reader *reader, unsigned table)
{
	const uint8_t opcode = peek(reader, 0);

	reader->at++;
	return table == 1 ? two_bytes[opcode] : table == 3 ? 'b' : 'm';
}

static char form_of(struct reader *reader)
{
	const uint8_t opcode = peek(reader, 0), next = peek(reader, 1);

	reader->at++;
	switch (opcode) {
	case 0xc5: /* VEX */
		reader->at++;
		return vector_form(reader, 1);
	case 0xc4:
		reader->at += 2;
		return vector_form(reader, next & 0x1f);
	case 0x62: /* EVEX */
		reader->at += 3;
		return vector_form(reader, next & 7);
	case 0x8f: /* XOP, or pop */
		return (next & 0x1f) < 8 ? 'm' : 'x';
	case 0x0f:
		reader->at++;
		if (next != 0x38 && next != 0x3a)
			return two_bytes[next];
		reader->at++;
		return next == 0x38 ? 'm' : 'b';
	default:
		return one_byte[opcode];
	}
}

/* What is operated on: ModRM, and what follows it. */
static void skip_operands(struct reader *reader)
{
	const uint8_t modrm = peek(reader, 0), mode = modrm >> 6, low = modrm & 7;
	const bool scaled = mode != 3 && low == 4;
	const uint8_t base = scaled ? peek(reader, 1) & 7 : low;

	reader->at += scaled ? 2 : 1;
	if (mode == 2 || (mode == 0 && base == 5))
		reader->at += 4;
	else if (mode == 1)
		reader->at++;
}

/* Of a value in the instruction. tests: the operation is one that has one. */
static size_t value_bytes(const struct reader *reader, char form, bool tests)
{
	const size_t word = reader->short_operand && !reader->wide_operand ? 2 : 4;

	switch (form) {
	case '1':
	case 'b':
		return 1;
	case '2':
		return 2;
	case '3':
		return 3;
	case 'd':
		return 4;
	case 'w':
	case 'M':
		return word;
	case 'v':
		return reader->wide_operand ? 8 : word;
	case 'a':
		return reader->short_address ? 4 : 8;
	case 't':
		return tests ? 1 : 0;
	case 'T':
		return tests ? word : 0;
	default:
		return 0;
	}
}

size_t length_on_x86_64(const uint8_t *code, size_t size)
{
	struct reader reader = {.code = code, .size = size};

	skip_prefixes(&reader);
	const char form = form_of(&reader);
	const bool tests = (peek(&reader, 0) >> 3 & 7) < 2;

	if (form == 'x')
		return 0;
	if (strchr("mbMtT", form))
		skip_operands(&reader);
	reader.at += value_bytes(&reader, form, tests);
	return reader.at <= size ? reader.at : 0;
}
