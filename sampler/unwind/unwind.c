/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind/unwind.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Places that are remembered; more than any program's samples come to, as a rule. */
#define ROWS_MAX (UINT32_C(1) << 15)
#define SLOTS (ROWS_MAX * 2)

/* Nothing is mapped there. */
#define LOWEST_ADDRESS 4096

struct cfi_place {
	uint64_t pc;
	struct row row;
	const struct cfi *cfi;
};

struct unwinder {
	struct cfi_source source;
	struct frame_finder finder;
	struct cfi_place *places;
	size_t capacity;
	uint32_t count;
	uint32_t *slots; /* index + 1 */
};

struct unwinder *unwinder_create(struct cfi_source source)
{
	struct unwinder *unwinder = take_memory(1, sizeof *unwinder);

	unwinder->source = source;
	unwinder->slots = take_memory(SLOTS, sizeof *unwinder->slots);
	return unwinder;
}

void unwinder_ask(struct unwinder *unwinder, struct frame_finder finder)
{
	unwinder->finder = finder;
}

void unwinder_destroy(struct unwinder *unwinder)
{
	free(unwinder->places);
	free(unwinder->slots);
	free(unwinder);
}

void unwinder_forget(struct unwinder *unwinder)
{
	unwinder->count = 0;
	memset(unwinder->slots, 0, SLOTS * sizeof *unwinder->slots);
}

static const struct cfi_place *place_at(struct unwinder *unwinder, uint64_t pc)
{
	if (unwinder->count == ROWS_MAX)
		unwinder_forget(unwinder);
	size_t slot = (size_t)(pc * UINT64_C(0x9E3779B97F4A7C15) >> 32) % SLOTS;

	for (; unwinder->slots[slot]; slot = (slot + 1) % SLOTS)
		if (unwinder->places[unwinder->slots[slot] - 1].pc == pc)
			return &unwinder->places[unwinder->slots[slot] - 1];
	unwinder->places = grow_array(unwinder->places, unwinder->count, &unwinder->capacity,
				      sizeof *unwinder->places);
	struct cfi_place *place = &unwinder->places[unwinder->count];
	uint64_t bias = 0;

	memset(place, 0, sizeof *place);
	place->pc = pc;
	place->cfi = unwinder->source.find(unwinder->source.context, pc, &bias);
	if (place->cfi)
		cfi_row(place->cfi, pc - bias, &place->row);
	unwinder->slots[slot] = ++unwinder->count;
	return place;
}

struct walk {
	const struct stack_copy *stack;
	bool beyond;
};

static bool read_word(void *context, uint64_t address, uint64_t *value)
{
	struct walk *walk = context;
	const struct stack_copy *stack = walk->stack;

	if (address >= stack->base && stack->size >= 8 &&
	    address - stack->base <= stack->size - 8) {
		memcpy(value, stack->bytes + (address - stack->base), 8);
		return true;
	}
	if (stack->live && stack->live->read(stack->live->context, address, value))
		return true;
	walk->beyond |= address >= stack->base + stack->size;
	return false;
}

/* Those of them that are kept somewhere. */
static void fetch(struct registers *registers, uint64_t wanted, const struct word_source *words)
{
	for (unsigned i = 0; registers->saved & wanted && i < this_machine.count; i++) {
		const uint64_t bit = UINT64_C(1) << i;

		if (!(registers->saved & wanted & bit))
			continue;
		registers->saved &= ~bit;
		if (words->read(words->context, registers->value[i], &registers->value[i]))
			registers->known |= bit;
	}
}

static bool expression_value(const struct cfi_place *place, struct rule rule,
			     struct registers *registers, const struct word_source *words,
			     const uint64_t *cfa, uint64_t *value)
{
	struct bytes code = {place->cfi->frames + rule.value, rule.size, 0, false};

	fetch(registers, ~UINT64_C(0), words);
	return evaluate(code, registers, words, cfa, value);
}

static bool find_cfa(const struct cfi_place *place, struct registers *registers,
		     const struct word_source *words, uint64_t *cfa)
{
	const struct row *row = &place->row;

	if (row->cfa_by_expression)
		return expression_value(place, row->cfa, registers, words, NULL, cfa);
	fetch(registers, UINT64_C(1) << row->cfa_register, words);
	if (!(registers->known >> row->cfa_register & 1))
		return false;
	*cfa = registers->value[row->cfa_register] + (uint64_t)(int64_t)row->cfa.value;
	return true;
}

static bool caller_value(const struct cfi_place *place, struct rule rule,
			 struct registers *registers, const struct word_source *words, uint64_t cfa,
			 uint64_t *value)
{
	uint64_t address;

	switch (rule.kind) {
	case RULE_AT_OFFSET:
		return words->read(words->context, cfa + (uint64_t)(int64_t)rule.value, value);
	case RULE_IS_OFFSET:
		*value = cfa + (uint64_t)(int64_t)rule.value;
		return true;
	case RULE_REGISTER:
		if (rule.value < 0 || (unsigned)rule.value >= this_machine.count)
			return false;
		fetch(registers, UINT64_C(1) << rule.value, words);
		if (!(registers->known >> rule.value & 1))
			return false;
		*value = registers->value[rule.value];
		return true;
	case RULE_AT_EXPRESSION:
		return expression_value(place, rule, registers, words, &cfa, &address) &&
		       words->read(words->context, address, value);
	case RULE_IS_EXPRESSION:
		return expression_value(place, rule, registers, words, &cfa, value);
	default:
		return false;
	}
}

/* The caller's registers; false: its return address is not known. */
static bool go_up(const struct cfi_place *place, struct registers *registers,
		  const struct word_source *words, uint64_t cfa)
{
	const struct row *row = &place->row;
	struct registers old = *registers;
	/* Hardly ever asked for, and of a thread that sleeps not always the same. */
	const uint64_t later = this_machine.kept & ~(UINT64_C(1) << this_machine.fp);

	/* What a function does not keep for its caller is not known there. */
	registers->known &= row->signal ? ~UINT64_C(0) : this_machine.kept;
	registers->value[this_machine.sp] = cfa;
	registers->known |= UINT64_C(1) << this_machine.sp;
	registers->known &= ~(UINT64_C(1) << this_machine.pc);
	for (unsigned i = 0; i < row->count; i++) {
		const struct rule *rule = &row->rules[i];
		uint64_t bit = UINT64_C(1) << rule->column, value;

		registers->known &= ~bit;
		registers->saved &= ~bit;
		if (rule->kind == RULE_AT_OFFSET && later & bit) {
			registers->value[rule->column] = cfa + (uint64_t)(int64_t)rule->value;
			registers->saved |= bit;
		} else if (caller_value(place, *rule, &old, words, cfa, &value)) {
			registers->value[rule->column] = value;
			registers->known |= bit;
		}
	}
	uint64_t *pc = &registers->value[this_machine.pc];

	*pc = machine_plain_address(*pc);
	return registers->known >> this_machine.pc & 1;
}

static bool may_have_called(struct unwinder *unwinder, const struct registers *caller,
			    const struct registers *called)
{
	const uint64_t frame = caller->value[this_machine.fp];

	return caller->value[this_machine.pc] > LOWEST_ADDRESS && frame % 16 == 0 &&
	       frame >= caller->value[this_machine.sp] && frame > called->value[this_machine.fp] &&
	       place_at(unwinder, caller->value[this_machine.pc] - 1)->row.told;
}

/* By where a function without rules may have kept them, if that comes out in one way alone. */
static bool go_up_without_rules(struct unwinder *unwinder, struct registers *registers,
				const struct word_source *words)
{
	struct registers guessed = {0}, found;
	unsigned fitting = 0;

	for (unsigned guess = 0; machine_guess_caller(registers, words, guess, &guessed); guess++) {
		if (!may_have_called(unwinder, &guessed, registers))
			continue;
		found = guessed;
		fitting++;
	}
	if (fitting == 1)
		*registers = found;
	return fitting == 1;
}

/* A return address that lies in code without information would be a call's of the function's own. */
static bool leave_leaf(struct unwinder *unwinder, struct registers *registers,
		       const struct word_source *words)
{
	struct registers caller = {0};

	if (!machine_leaf_caller(registers, words, &caller) ||
	    !place_at(unwinder, caller.value[this_machine.pc] - 1)->row.told)
		return false;
	*registers = caller;
	return true;
}

/* A function has called, and only the frame pointer tells who has called it. */
static bool find_frame(const struct unwinder *unwinder, const struct cfi_place *place,
		       struct registers *registers, const struct word_source *words)
{
	const uint64_t fp = UINT64_C(1) << this_machine.fp;

	if (!unwinder->finder.find || place->row.cfa_by_expression ||
	    place->row.cfa_register != this_machine.fp || registers->known & fp ||
	    !unwinder->finder.find(unwinder->finder.context, place->pc,
				   registers->value[this_machine.sp], words,
				   &registers->value[this_machine.fp]))
		return false;
	registers->known |= fp;
	registers->saved &= ~fp;
	return true;
}

/* called: the registers are those of a function that has called. */
static void go_on(struct unwinder *unwinder, struct registers registers,
		  const struct stack_copy *stack, bool called, struct frames *frames)
{
	struct walk walk = {.stack = stack};
	const struct word_source words = {read_word, &walk};
	bool begins_threads = false;
	uint32_t sure = 0; /* frames, if others are behind one that was found */

	registers.saved = 0;
	while (frames->count < FRAMES_MAX) {
		const uint64_t next = registers.value[this_machine.pc];

		if (next < LOWEST_ADDRESS) {
			/* As the C library marks a thread's first frame. Elsewhere a word was taken for a return address, by
			 * information that is damaged; and the innermost would be a jump to NULL. */
			frames->whole = called && next == 0 && begins_threads;
			break;
		}
		const uint64_t pc = next - (called ? 1 : 0);
		uint64_t cfa;

		frames->sp[frames->count] = registers.value[this_machine.sp];
		frames->pc[frames->count++] = pc;
		const struct cfi_place *place = place_at(unwinder, pc);

		if (!called && !place->cfi) {
			if (leave_leaf(unwinder, &registers, &words)) {
				called = true;
				continue;
			}
			/* Others were looked at, and places move. */
			place = place_at(unwinder, pc);
		}
		begins_threads = place->cfi && place->cfi->begins_threads;
		frames->whole = place->row.told && place->row.outermost;
		if (frames->whole || !place->row.told)
			break;
		if (called && find_frame(unwinder, place, &registers, &words) && !sure)
			sure = frames->count;
		if (!find_cfa(place, &registers, &words, &cfa))
			break;
		/* A stack grows downwards: who calls lies higher. */
		if (called && !place->row.signal && cfa <= registers.value[this_machine.sp]) {
			if (go_up_without_rules(unwinder, &registers, &words))
				continue;
			break;
		}
		called = !place->row.signal;
		if (!go_up(place, &registers, &words, cfa))
			break;
	}
	if (sure && !frames->whole)
		frames->count = sure;
	frames->beyond = walk.beyond && !frames->whole;
}

void unwind(struct unwinder *unwinder, struct registers registers, const struct stack_copy *stack,
	    struct frames *frames)
{
	frames->count = 0;
	frames->whole = false;
	go_on(unwinder, registers, stack, false, frames);
}

void unwind_behind(struct unwinder *unwinder, uint64_t leaf, struct registers registers,
		   const struct stack_copy *stack, struct frames *frames)
{
	frames->pc[0] = leaf;
	frames->sp[0] = registers.value[this_machine.sp];
	frames->count = 1;
	frames->whole = false;
	go_on(unwinder, registers, stack, true, frames);
}
