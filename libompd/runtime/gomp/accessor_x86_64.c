/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/accessor_code.h"

/* The longest of the functions. */
#define CODE_BYTES 48

/* An instruction as bytes under a mask, and the displacement behind them. */
struct form {
	enum operand kind;
	uint8_t length;
	uint8_t bytes[5], mask[5];
	uint8_t displacement_size;
	bool relative; /* to the end of the instruction */
	bool no_index; /* the last byte must not say that another follows */
};

static const struct form forms[] = {
	{OPERAND_NUMBER, 3, {0x48, 0xc7, 0xc0}, {0xfe, 0xff, 0xf8}, 4, false, false},
	{OPERAND_WORD_VARIABLE, 3, {0x48, 0x8b, 0x05}, {0xfb, 0xff, 0xc7}, 4, true, false},
	{OPERAND_WORD_CHOSEN,
	 4,
	 {0x48, 0x0f, 0x44, 0x05},
	 {0xff, 0xff, 0xff, 0xc7},
	 4,
	 true,
	 false},
	{OPERAND_INT_VARIABLE, 2, {0x8b, 0x05}, {0xff, 0xc7}, 4, true, false},
	{OPERAND_BYTE_VARIABLE, 3, {0x0f, 0xb6, 0x05}, {0xff, 0xff, 0xc7}, 4, true, false},
	{OPERAND_ADDRESS, 3, {0x48, 0x8d, 0x05}, {0xff, 0xff, 0xc7}, 4, true, false},
	{OPERAND_THREAD_INT, 3, {0x64, 0x8b, 0x40}, {0xff, 0xff, 0xc0}, 1, false, true},
	{OPERAND_THREAD_INT, 3, {0x64, 0x8b, 0x80}, {0xff, 0xff, 0xc0}, 4, false, true},
	{OPERAND_THREAD_WORD,
	 4,
	 {0x64, 0x48, 0x8b, 0x40},
	 {0xff, 0xff, 0xff, 0xc0},
	 1,
	 false,
	 true},
	{OPERAND_THREAD_WORD,
	 4,
	 {0x64, 0x48, 0x8b, 0x80},
	 {0xff, 0xff, 0xff, 0xc0},
	 4,
	 false,
	 true},
	{OPERAND_PLACED_INT,
	 4,
	 {0x64, 0x8b, 0x04, 0x25},
	 {0xff, 0xff, 0xc7, 0xff},
	 4,
	 false,
	 false},
	{OPERAND_PLACED_WORD,
	 5,
	 {0x64, 0x48, 0x8b, 0x04, 0x25},
	 {0xff, 0xfb, 0xff, 0xc7, 0xff},
	 4,
	 false,
	 false},
	{OPERAND_MEMBER_BYTE, 3, {0x0f, 0xb6, 0x40}, {0xff, 0xff, 0xc0}, 1, false, true},
	{OPERAND_MEMBER_BYTE, 3, {0x0f, 0xb6, 0x80}, {0xff, 0xff, 0xc0}, 4, false, true},
	{OPERAND_MEMBER_ADDRESS, 3, {0x48, 0x8d, 0x40}, {0xff, 0xff, 0xc0}, 1, false, true},
	{OPERAND_MEMBER_ADDRESS, 3, {0x48, 0x8d, 0x80}, {0xff, 0xff, 0xc0}, 4, false, true},
	{OPERAND_MEMBER_ADDRESS, 3, {0x48, 0x81, 0xc0}, {0xff, 0xff, 0xf8}, 4, false, false},
	{OPERAND_MEMBER_ADDRESS, 2, {0x48, 0x05}, {0xff, 0xff}, 4, false, false},
	{OPERAND_ARGUMENT, 1, {0xbf}, {0xff}, 4, false, false},
};

static bool fits(const struct form *form, const uint8_t *code, size_t left)
{
	if ((size_t)form->length + form->displacement_size > left)
		return false;
	for (unsigned i = 0; i < form->length; i++) {
		if ((code[i] & form->mask[i]) != form->bytes[i])
			return false;
	}
	return !form->no_index || (code[form->length - 1] & 7) != 4;
}

static const struct form *form_at(const uint8_t *code, size_t left)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (fits(&forms[i], code, left))
			return &forms[i];
	}
	return NULL;
}

ompd_rc_t accessor_code_x86_64(const struct image *image, target_addr address, enum operand kind,
			       uint64_t *ret)
{
	const uint8_t near_return = 0xc3;
	uint8_t code[CODE_BYTES];
	const ompd_rc_t rc = target_read(image->target, address, sizeof(code), code);

	if (rc != ompd_rc_ok)
		return rc;
	for (size_t at = 0; at < sizeof(code) && code[at] != near_return;) {
		const struct form *form = form_at(code + at, sizeof(code) - at);

		/* What is in between says nothing that is asked. */
		if (!form) {
			at++;
			continue;
		}
		at += (size_t)form->length + form->displacement_size;
		if (form->kind != kind)
			continue;
		*ret = (uint64_t)target_decode_signed(image->target,
						      code + at - form->displacement_size,
						      form->displacement_size);
		if (form->relative)
			*ret += address + at;
		return ompd_rc_ok;
	}
	return ompd_rc_unavailable;
}
