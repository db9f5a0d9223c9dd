/* SPDX-License-Identifier: Apache-2.0
 *
 * Call frame information, as .eh_frame holds it: what is told of one place in the code. The bytes are any
 * process's: nothing is believed of them.
 */
#ifndef SAMPLER_CFI_H
#define SAMPLER_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where code begins, and where in .eh_frame its entry is. */
struct cfi_line {
	uint64_t begin, at;
};

/* One image's. Addresses are those of the file. */
struct cfi {
	const uint8_t *
		header; /* .eh_frame_hdr; NULL: there is none, as in programs that are linked by `-static': see lines */
	size_t header_size;
	uint64_t header_address;
	const uint8_t *frames; /* .eh_frame */
	size_t frames_size;
	uint64_t frames_address;
	struct cfi_line
		*lines; /* sorted: what the header would tell, if there is none that can be used */
	size_t line_count;
	bool begins_threads; /* the C library's: there stacks may end, also by a return address of 0 */
	uint64_t entry;      /* where the program begins: so may they there; 0: nowhere */
};

enum rule_kind {
	RULE_SAME,
	RULE_UNDEFINED,
	RULE_AT_OFFSET, /* saved at the CFA + value */
	RULE_IS_OFFSET, /* is the CFA + value */
	RULE_REGISTER,  /* is in register value */
	RULE_AT_EXPRESSION, /* saved where the expression says: value bytes into .eh_frame, size bytes long */
	RULE_IS_EXPRESSION
};

struct rule {
	uint8_t column; /* the register that it tells */
	uint8_t kind;
	uint16_t size;
	int32_t value;
};

/* Of all registers, as the frames of signals tell them, there are at most: */
#define ROW_RULES_MAX 34

/* How the caller's registers are found from one place in the code. */
struct row {
	bool told;      /* else nothing is known of this place */
	bool signal;    /* the caller was interrupted, it did not call */
	bool outermost; /* there is no caller */
	uint8_t cfa_register;
	bool cfa_by_expression; /* then it is cfa.value and cfa.size */
	struct rule cfa;
	uint8_t count;
	struct rule rules[ROW_RULES_MAX];
};

/* address: in the file, of an instruction that was executed. */
void cfi_row(const struct cfi *cfi, uint64_t address, struct row *row);

#endif /* SAMPLER_CFI_H */
