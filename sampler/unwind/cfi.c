/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind/cfi.h"

#include <string.h>

#include "unwind/entries.h"
#include "unwind/machine.h"
#include "unwind/pointers.h"

/* Compilers nest these two deep. */
#define REMEMBERED_MAX 32

/* The rules at one place, while instructions are executed. */
struct rules {
	uint64_t cfa_register;
	int64_t cfa_offset;
	bool cfa_by_expression;
	struct rule cfa_expression;
	struct rule of[REGISTERS_MAX];
};

struct execution {
	const struct cfi *cfi;
	const struct entry *entry;
	uint64_t address; /* up to which they are executed */
	uint64_t place;   /* for which the next instructions are */
	struct rules rules;
	struct rules initial; /* after the common ones */
	struct rules remembered[REMEMBERED_MAX];
	unsigned remembered_count;
	bool bad;
};

static struct rule *rule_of(struct execution *execution, uint64_t column)
{
	static struct rule nobody;

	/* Vector registers, for one: not ours to follow. */
	return column < REGISTERS_MAX ? &execution->rules.of[column] : &nobody;
}

static void set(struct execution *execution, uint64_t column, enum rule_kind kind, int64_t value)
{
	if (value < INT32_MIN || value > INT32_MAX) {
		execution->bad = true;
		return;
	}
	*rule_of(execution, column) =
		(struct rule){(uint8_t)column, (uint8_t)kind, 0, (int32_t)value};
}

/* By the data factor, without overflow. */
static int64_t scaled(const struct execution *execution, int64_t value)
{
	int64_t result;

	return __builtin_mul_overflow(value, execution->entry->data_factor, &result) ? INT64_MAX
										     : result;
}

static struct rule expression(struct execution *execution, struct bytes *bytes, uint64_t column,
			      enum rule_kind kind)
{
	uint64_t size = bytes_uleb(bytes);
	struct bytes part = bytes_part(bytes, size);
	ptrdiff_t at = part.start ? part.start - execution->cfi->frames : 0;

	if (part.bad || size > UINT16_MAX || at < 0 || at > INT32_MAX)
		execution->bad = true;
	return (struct rule){(uint8_t)column, (uint8_t)kind, (uint16_t)size, (int32_t)at};
}

static void set_expression(struct execution *execution, struct bytes *bytes, enum rule_kind kind)
{
	uint64_t column = bytes_uleb(bytes);

	*rule_of(execution, column) = expression(execution, bytes, column, kind);
}

static void define_cfa(struct execution *execution, uint64_t column, int64_t offset)
{
	execution->rules.cfa_register = column;
	execution->rules.cfa_offset = offset;
	execution->rules.cfa_by_expression = false;
}

static void restore(struct execution *execution, uint64_t column)
{
	if (column < REGISTERS_MAX)
		execution->rules.of[column] = execution->initial.of[column];
}

static void advance(struct execution *execution, uint64_t count)
{
	execution->place += count * execution->entry->code_factor;
}

static void remember(struct execution *execution)
{
	if (execution->remembered_count == REMEMBERED_MAX)
		execution->bad = true;
	else
		execution->remembered[execution->remembered_count++] = execution->rules;
}

static void recall(struct execution *execution)
{
	if (execution->remembered_count == 0)
		execution->bad = true;
	else
		execution->rules = execution->remembered[--execution->remembered_count];
}

/* DWARF 5, 6.4.2, with GNU's and ARM's. */
static void execute_extended(struct execution *execution, struct bytes *bytes, uint64_t code)
{
	uint64_t column;

	switch (code) {
	case 0x00: /* nop */
		break;
	case 0x01: /* set_loc */
		execution->place =
			encoded_pointer(bytes, execution->entry->encoding,
					execution->cfi->frames_address +
						(uint64_t)(bytes->start - execution->cfi->frames),
					0);
		break;
	case 0x02:
		advance(execution, bytes_unsigned(bytes, 1));
		break;
	case 0x03:
		advance(execution, bytes_unsigned(bytes, 2));
		break;
	case 0x04:
		advance(execution, bytes_unsigned(bytes, 4));
		break;
	case 0x05: /* offset_extended */
		column = bytes_uleb(bytes);
		set(execution, column, RULE_AT_OFFSET,
		    scaled(execution, (int64_t)bytes_uleb(bytes)));
		break;
	case 0x06:
		restore(execution, bytes_uleb(bytes));
		break;
	case 0x07:
		set(execution, bytes_uleb(bytes), RULE_UNDEFINED, 0);
		break;
	case 0x08:
		set(execution, bytes_uleb(bytes), RULE_SAME, 0);
		break;
	case 0x09: /* register */
		column = bytes_uleb(bytes);
		set(execution, column, RULE_REGISTER, (int64_t)bytes_uleb(bytes));
		break;
	case 0x0a:
		remember(execution);
		break;
	case 0x0b:
		recall(execution);
		break;
	case 0x0c: /* def_cfa */
		column = bytes_uleb(bytes);
		define_cfa(execution, column, (int64_t)bytes_uleb(bytes));
		break;
	case 0x0d:
		define_cfa(execution, bytes_uleb(bytes), execution->rules.cfa_offset);
		break;
	case 0x0e:
		define_cfa(execution, execution->rules.cfa_register, (int64_t)bytes_uleb(bytes));
		break;
	case 0x0f: /* def_cfa_expression */
		execution->rules.cfa_by_expression = true;
		execution->rules.cfa_expression =
			expression(execution, bytes, 0, RULE_IS_EXPRESSION);
		break;
	case 0x10:
		set_expression(execution, bytes, RULE_AT_EXPRESSION);
		break;
	case 0x11: /* offset_extended_sf */
		column = bytes_uleb(bytes);
		set(execution, column, RULE_AT_OFFSET, scaled(execution, bytes_sleb(bytes)));
		break;
	case 0x12: /* def_cfa_sf */
		column = bytes_uleb(bytes);
		define_cfa(execution, column, scaled(execution, bytes_sleb(bytes)));
		break;
	case 0x13: /* def_cfa_offset_sf */
		define_cfa(execution, execution->rules.cfa_register,
			   scaled(execution, bytes_sleb(bytes)));
		break;
	case 0x14: /* val_offset */
		column = bytes_uleb(bytes);
		set(execution, column, RULE_IS_OFFSET,
		    scaled(execution, (int64_t)bytes_uleb(bytes)));
		break;
	case 0x15:
		column = bytes_uleb(bytes);
		set(execution, column, RULE_IS_OFFSET, scaled(execution, bytes_sleb(bytes)));
		break;
	case 0x16:
		set_expression(execution, bytes, RULE_IS_EXPRESSION);
		break;
	case 0x2d: /* AArch64's negate_ra_state: machine_plain_address takes every signature away */
		break;
	case 0x2e: /* GNU_args_size */
		bytes_uleb(bytes);
		break;
	default:
		execution->bad = true;
	}
}

static void execute(struct execution *execution, struct bytes bytes)
{
	while (!execution->bad && bytes.at < bytes.size && execution->place <= execution->address) {
		uint64_t code = bytes_unsigned(&bytes, 1), low = code & 0x3f;

		switch (code >> 6) {
		case 1:
			advance(execution, low);
			break;
		case 2:
			set(execution, low, RULE_AT_OFFSET,
			    scaled(execution, (int64_t)bytes_uleb(&bytes)));
			break;
		case 3:
			restore(execution, low);
			break;
		default:
			execute_extended(execution, &bytes, code);
		}
		execution->bad |= bytes.bad;
	}
}

static void add_rule(struct row *row, struct rule rule)
{
	if (rule.kind != RULE_SAME && row->count < ROW_RULES_MAX)
		row->rules[row->count++] = rule;
}

/* Nobody calls what a program or a thread begins with. Information that says so of other code is damaged. */
static bool may_be_outermost(const struct execution *execution)
{
	const struct cfi *cfi = execution->cfi;
	const struct entry *entry = execution->entry;

	return cfi->begins_threads ||
	       (cfi->entry && cfi->entry >= entry->begin && cfi->entry < entry->end);
}

static void fill(const struct execution *execution, struct row *row)
{
	const struct rules *rules = &execution->rules;
	uint64_t column = execution->entry->return_column;

	if (column >= REGISTERS_MAX || rules->cfa_register >= this_machine.count ||
	    rules->cfa_offset < INT32_MIN || rules->cfa_offset > INT32_MAX)
		return;
	row->cfa_by_expression = rules->cfa_by_expression;
	row->cfa = rules->cfa_by_expression
			   ? rules->cfa_expression
			   : (struct rule){0, RULE_IS_OFFSET, 0, (int32_t)rules->cfa_offset};
	row->cfa_register = (uint8_t)rules->cfa_register;
	row->signal = execution->entry->signal;
	struct rule returns = rules->of[column];

	if (returns.kind == RULE_SAME && !this_machine.link_register)
		return;
	if (returns.kind == RULE_SAME)
		returns = (struct rule){0, RULE_REGISTER, 0, (int32_t)column};
	row->outermost = returns.kind == RULE_UNDEFINED;
	if (row->outermost && !may_be_outermost(execution))
		return;
	returns.column = (uint8_t)this_machine.pc;
	add_rule(row, returns);
	for (unsigned i = 0; i < this_machine.count; i++)
		if (i != this_machine.pc &&
		    (row->signal || this_machine.kept >> i & 1 || i == column ||
		     (i == this_machine.sp && rules->of[i].kind != RULE_SAME)))
			add_rule(row, rules->of[i]);
	row->told = true;
}

void cfi_row(const struct cfi *cfi, uint64_t address, struct row *row)
{
	struct execution execution = {.cfi = cfi, .address = address};
	struct entry entry;

	*row = (struct row){0};
	if (!find_entry(cfi, address, &entry))
		return;
	execution.entry = &entry;
	/* The common ones are for every place. */
	execute(&execution, entry.common);
	execution.initial = execution.rules;
	execution.place = entry.begin;
	execute(&execution, entry.instructions);
	if (!execution.bad)
		fill(&execution, row);
}
