/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "runtime/llvm/getter_code.h"

/* A getter is: unless the runtime has started, start it; then load the variable, by its address or by the dynamic
 * linker's table, and return, or jump to a function that does so. That is up to 22 instructions. */
#define INSTRUCTIONS_MAX 32
#define REGISTERS 32 /* the last one is the stack pointer, or zero: nothing is known of it */
/* x0 to x18 and x30 are a callee's to change. */
#define KEPT_FIRST 19
#define LINK 30

struct value {
	enum { UNKNOWN, CONSTANT, LOADED } kind;
	size_t size;         /* of what was loaded */
	target_addr address; /* the constant, or where it was loaded from */
};

struct state {
	bool reached;
	struct value registers[REGISTERS];
};

/* The ways through one function, which are followed forwards only. */
struct walk {
	const struct image *image;
	target_addr start;
	uint32_t words[INSTRUCTIONS_MAX];
	struct state before[INSTRUCTIONS_MAX];
	size_t size;          /* of the variable */
	bool in_jump;         /* another function has jumped to this one */
	target_addr variable; /* that all ways have returned so far; 0: none has */
};

static ompd_rc_t follow(struct walk *walk);

static bool same(const struct value *one, const struct value *other)
{
	return one->kind == other->kind && one->size == other->size &&
	       one->address == other->address;
}

/* What is known on both ways. */
static void join(struct state *into, const struct state *from)
{
	if (!into->reached) {
		*into = *from;
		return;
	}
	for (size_t i = 0; i < REGISTERS; i++) {
		if (!same(&into->registers[i], &from->registers[i]))
			into->registers[i] = (struct value){0};
	}
}

/* The lowest `bits` of it, with their sign. */
static int64_t as_signed(uint32_t field, unsigned bits)
{
	const int64_t value = field & ((UINT32_C(1) << bits) - 1);

	return value >> (bits - 1) ? value - (INT64_C(1) << bits) : value;
}

static void assign(struct state *state, uint32_t number, struct value value)
{
	if (number < REGISTERS - 1)
		state->registers[number] = value;
}

static void forget(struct state *state, uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i <= last; i++)
		assign(state, i, (struct value){0});
}

/* Where a load finds what it loads: by a constant, or by a word that was loaded from a constant address. */
static ompd_rc_t loads_from(const struct walk *walk, const struct value *base, uint64_t offset,
			    struct value *ret)
{
	target_addr address = base->address;
	ompd_rc_t rc = ompd_rc_ok;

	if (base->kind == LOADED && base->size == 8)
		rc = target_read_pointer(walk->image->target, base->address, &address);
	else if (base->kind != CONSTANT)
		return ompd_rc_ok;
	if (rc == ompd_rc_ok)
		*ret = (struct value){LOADED, ret->size, address + offset};
	return rc;
}

/* ldr w or x, [base, #offset] */
static ompd_rc_t load(const struct walk *walk, struct state *state, uint32_t word)
{
	const size_t size = word >> 30 == 3 ? 8 : 4;
	struct value loaded = {UNKNOWN, size, 0};
	const ompd_rc_t rc = loads_from(walk, &state->registers[word >> 5 & 31],
					(word >> 10 & 0xfff) * size, &loaded);

	if (loaded.kind == UNKNOWN)
		loaded = (struct value){0};
	assign(state, word & 31, loaded);
	return rc;
}

/* adr, adrp */
static void take_address(struct state *state, uint32_t word, target_addr at)
{
	const int64_t distance = as_signed((word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3), 21);
	struct value value = {CONSTANT, 0, at + (uint64_t)distance};

	if (word >> 31)
		value.address = (at & ~UINT64_C(0xfff)) + ((uint64_t)distance << 12);
	assign(state, word & 31, value);
}

/* add or sub of a number, with or without flags */
static void add(struct state *state, uint32_t word)
{
	const uint64_t number = (uint64_t)(word >> 10 & 0xfff) << (word >> 22 & 1 ? 12 : 0);
	struct value value = state->registers[word >> 5 & 31];

	if (value.kind != CONSTANT || !(word >> 31))
		value = (struct value){0};
	else
		value.address += word >> 30 & 1 ? -number : number;
	assign(state, word & 31, value);
}

/* What any other instruction changes. One that is not known may change all. */
static ompd_rc_t execute(const struct walk *walk, struct state *state, uint32_t word,
			 target_addr at)
{
	const bool on_stack = (word >> 5 & 31) == 31;

	if ((word & 0xbfc00000) == 0xb9400000)
		return load(walk, state, word);
	if ((word & 0x1f000000) == 0x10000000) {
		take_address(state, word, at);
	} else if ((word & 0x1f800000) == 0x11000000) {
		add(state, word);
	} else if ((word & 0x7fe0ffe0) == 0x2a0003e0) { /* mov of a register */
		assign(state, word & 31,
		       word >> 31 ? state->registers[word >> 16 & 31] : (struct value){0});
	} else if ((word & 0xfe400000) == 0xa8400000 && on_stack) { /* ldp */
		forget(state, word & 31, word & 31);
		forget(state, word >> 10 & 31, word >> 10 & 31);
	} else if ((word & 0xffe00400) == 0xf8400400 && on_stack) { /* ldr, and the stack pointer */
		forget(state, word & 31, word & 31);
	} else if (!((word & 0xfe400000) == 0xa8000000 && on_stack) && /* stp */
		   !((word & 0xffe00400) == 0xf8000400 &&
		     on_stack) &&                       /* str, and the stack pointer */
		   (word & 0xbfc00000) != 0xb9000000 && /* str */
		   (word & 0xfffff01f) != 0xd503201f) { /* nop, bti, paciasp, autiasp */
		forget(state, 0, REGISTERS - 1);
	}
	return ompd_rc_ok;
}

/* A way that ends with this variable. unavailable: others end with another, or it is none. */
static ompd_rc_t found(struct walk *walk, target_addr variable)
{
	if (!image_writable(walk->image, variable, walk->size) ||
	    (walk->variable && walk->variable != variable))
		return ompd_rc_unavailable;
	walk->variable = variable;
	return ompd_rc_ok;
}

static ompd_rc_t returned(struct walk *walk, const struct state *state)
{
	const struct value *value = &state->registers[0];

	if (value->kind != LOADED || value->size != walk->size)
		return ompd_rc_unavailable;
	return found(walk, value->address);
}

static ompd_rc_t walk_from(struct walk *walk, const struct image *image, target_addr start,
			   size_t size, bool in_jump)
{
	uint8_t bytes[sizeof(walk->words)];
	ompd_rc_t rc;

	memset(walk, 0, sizeof(*walk));
	walk->image = image;
	walk->start = start;
	walk->size = size;
	walk->in_jump = in_jump;
	walk->before[0].reached = true;
	rc = target_read(image->target, start, sizeof(bytes), bytes);
	for (size_t i = 0; rc == ompd_rc_ok && i < INSTRUCTIONS_MAX; i++)
		walk->words[i] = (uint32_t)target_decode(image->target, bytes + 4 * i, 4);
	return rc == ompd_rc_ok ? follow(walk) : rc;
}

/* Another function returns in the place of this one. */
static ompd_rc_t jumps_away(struct walk *walk, target_addr to)
{
	struct walk next;
	ompd_rc_t rc;

	if (walk->in_jump || !image_contains(walk->image, to))
		return ompd_rc_unavailable;
	rc = walk_from(&next, walk->image, to, walk->size, true);
	return rc == ompd_rc_ok ? found(walk, next.variable) : rc;
}

/* Where a branch goes goes on there; backwards nothing is followed. */
static ompd_rc_t branch(struct walk *walk, size_t index, const struct state *state,
			int64_t instructions, bool always)
{
	const int64_t target = (int64_t)index + instructions;

	if (target > (int64_t)index && target < INSTRUCTIONS_MAX) {
		join(&walk->before[target], state);
		return ompd_rc_ok;
	}
	if (always)
		return jumps_away(walk, walk->start + (uint64_t)(4 * target));
	return ompd_rc_unavailable;
}

/* One instruction. *onward: whether the following one is executed next. */
static ompd_rc_t step(struct walk *walk, size_t index, struct state *state, bool *onward)
{
	const uint32_t word = walk->words[index];

	*onward = true;
	if ((word & 0xfffffbff) == 0xd65f0bff ||
	    (word & 0xfffffc1f) == 0xd65f0000) { /* ret, retaa */
		*onward = false;
		return returned(walk, state);
	}
	if ((word & 0xfc000000) == 0x14000000) { /* b */
		*onward = false;
		return branch(walk, index, state, as_signed(word, 26), true);
	}
	if ((word & 0xff000010) == 0x54000000 ||
	    (word & 0x7e000000) == 0x34000000) /* b.cond, cbz */
		return branch(walk, index, state, as_signed(word >> 5, 19), false);
	if ((word & 0x7e000000) == 0x36000000) /* tbz */
		return branch(walk, index, state, as_signed(word >> 5, 14), false);
	if ((word & 0xfc000000) == 0x94000000) { /* bl */
		forget(state, 0, KEPT_FIRST - 1);
		forget(state, LINK, LINK);
		return ompd_rc_ok;
	}
	if ((word & 0xfe000000) == 0xd6000000) /* by a register */
		return ompd_rc_unavailable;
	return execute(walk, state, word, walk->start + 4 * index);
}

/* ok: every way returns walk->variable. */
static ompd_rc_t follow(struct walk *walk)
{
	for (size_t i = 0; i < INSTRUCTIONS_MAX; i++) {
		struct state state = walk->before[i];
		bool onward;
		ompd_rc_t rc;

		if (!state.reached)
			continue;
		rc = step(walk, i, &state, &onward);
		if (rc == ompd_rc_ok && onward && i + 1 == INSTRUCTIONS_MAX)
			rc = ompd_rc_unavailable;
		if (rc != ompd_rc_ok)
			return rc;
		if (onward)
			join(&walk->before[i + 1], &state);
	}
	return walk->variable ? ompd_rc_ok : ompd_rc_unavailable;
}

ompd_rc_t getter_code_aarch64(const struct image *image, target_addr function, size_t size,
			      target_addr *ret)
{
	struct walk walk;
	const ompd_rc_t rc = walk_from(&walk, image, function, size, false);

	if (rc == ompd_rc_ok)
		*ret = walk.variable;
	return rc;
}
