/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "inference/call_target.h"
#include "names/names.h"

void codes_init(struct codes *codes, struct images *images, struct memory *memory,
		const struct python_objects *python)
{
	*codes = (struct codes){.images = images, .memory = memory, .python = python};
}

void codes_deinit(struct codes *codes)
{
	for (uint32_t i = 0; i < codes->count; i++)
		free((char *)(uintptr_t)codes->codes[i].symbol);
	free(codes->codes);
	free(codes->slots);
}

void codes_forget(struct codes *codes)
{
	if (codes->slots)
		memset(codes->slots, 0, codes->slot_count * sizeof *codes->slots);
}

static size_t slot_of(const struct codes *codes, uint64_t pc)
{
	size_t mask = codes->slot_count - 1;
	size_t slot = (size_t)(pc * UINT64_C(0x9E3779B97F4A7C15) >> 32) & mask;

	while (codes->slots[slot] && codes->codes[codes->slots[slot] - 1].pc != pc)
		slot = (slot + 1) & mask;
	return slot;
}

/* Numbers of places that are void keep their slots out of the new table: only what is in it now moves on. */
static void widen(struct codes *codes)
{
	if ((size_t)codes->count * 2 < codes->slot_count)
		return;
	uint32_t *old = codes->slots;
	size_t old_count = codes->slot_count;

	codes->slot_count = old_count ? old_count * 2 : 1024;
	codes->slots = take_memory(codes->slot_count, sizeof *codes->slots);
	for (size_t i = 0; i < old_count; i++)
		if (old[i])
			codes->slots[slot_of(codes, codes->codes[old[i] - 1].pc)] = old[i];
	free(old);
}

static void describe(struct code *code)
{
	code->described.size = sizeof code->described;
	code->is_described = code->symbol &&
			     ompdx_describe_function(code->symbol, &code->described) == ompd_rc_ok;
}

static const struct runtime_code *runtime_of(const struct codes *codes, const struct code *code)
{
	for (size_t i = 0; i < codes->runtime_count; i++) {
		const struct runtime_code *runtime = &codes->runtimes[i];

		if (runtime->image != code->image)
			continue;
		/* Of a program that holds the runtime only names tell which code is whose. */
		if (!runtime->embedded ||
		    (code->is_described &&
		     (code->described.function_class == ompdx_function_entry ||
		      code->described.function_class == ompdx_function_internal)))
			return runtime;
	}
	return NULL;
}

static ompdx_code_t whose(const struct code *code)
{
	if (!code->image)
		return ompdx_code_unknown;
	switch (code->image->kind) {
	case IMAGE_SYSTEM:
		return ompdx_code_system;
	case IMAGE_LIBRARY:
		return ompdx_code_library;
	case IMAGE_RUNTIME:
		/* None that libompd knows, or its memory may not be read. */
		return ompdx_code_runtime;
	default:
		return ompdx_code_program;
	}
}

/* Of a place that is in the middle of a call. Of the innermost frame it says nothing, and is not asked for. */
static void look_at_call(const struct codes *codes, struct code *code)
{
	struct call_target target = call_target_read(codes->memory, code->pc + 1);
	struct image *image = target.address ? image_at(codes->images, target.address) : NULL;
	struct function_name name =
		image ? name_function(image, target.address) : (struct function_name){NULL, 0};

	code->frame.direct_call = target.direct;
	code->call_unresolved = target.unresolved;
	code->called.size = sizeof code->called;
	code->is_called = name.symbol && name.start == target.address &&
			  ompdx_describe_function(name.symbol, &code->called) == ompd_rc_ok;
}

/* Each time that it has been met twice as often: it costs next to nothing if the dynamic linker never comes. */
static void look_again(const struct codes *codes, struct code *code)
{
	const uint32_t met = ++code->met_unresolved;

	if ((met & (met - 1)) == 0)
		look_at_call(codes, code);
}

static void look(struct codes *codes, struct code *code)
{
	code->is_python = codes->python && python_is_place(codes->python, code->pc);
	if (code->is_python) {
		code->frame = (ompdx_frame_t){.code = ompdx_code_program, .direct_call = -1};
		return;
	}
	code->image = image_at(codes->images, code->pc);
	if (code->image) {
		struct function_name name = name_function(code->image, code->pc);

		code->symbol = copy_text(name.symbol);
		code->function = name.start;
	}
	describe(code);
	uint64_t end;

	/* A name need not tell, unwind information does. */
	if (!code->function)
		images_function(codes->images, code->pc, &code->function, &end);
	const struct runtime_code *runtime = runtime_of(codes, code);

	code->frame = (ompdx_frame_t){.code = runtime ? ompdx_code_runtime : whose(code),
				      .direct_call = -1,
				      .entry = code->function};
	if (runtime) {
		code->frame.runtime = runtime->number;
		code->frame.runtime_kind = runtime->kind;
	} else if (code->frame.code == ompdx_code_runtime) {
		code->frame.runtime_kind = strstr(code->image->path, "libgomp")
						   ? ompdx_runtime_gomp
						   : ompdx_runtime_llvm;
	}
	if (code->frame.code == ompdx_code_program || code->frame.code == ompdx_code_runtime)
		look_at_call(codes, code);
}

uint32_t code_at(struct codes *codes, uint64_t pc)
{
	widen(codes);
	size_t slot = slot_of(codes, pc);

	if (codes->slots[slot]) {
		struct code *code = &codes->codes[codes->slots[slot] - 1];

		if (code->call_unresolved)
			look_again(codes, code);
		return codes->slots[slot] - 1;
	}
	if (codes->count == INTERNED_MAX)
		return NONE;
	codes->codes =
		grow_array(codes->codes, codes->count, &codes->capacity, sizeof *codes->codes);
	codes->codes[codes->count] = (struct code){.pc = pc};
	look(codes, &codes->codes[codes->count]);
	codes->slots[slot] = ++codes->count;
	return codes->count - 1;
}

ompdx_frame_t code_frame(const struct codes *codes, uint32_t number)
{
	ompdx_frame_t frame = codes->codes[number].frame;

	frame.function = codes->codes[number].is_described ? &codes->codes[number].described : NULL;
	frame.called = codes->codes[number].is_called ? &codes->codes[number].called : NULL;
	return frame;
}

bool code_is_runtime(const struct code *code)
{
	return code->frame.code == ompdx_code_runtime;
}

bool code_is_program(const struct code *code)
{
	return code->frame.code == ompdx_code_program;
}

bool code_has_role(const struct code *code, uint32_t role)
{
	return code->is_described && code->described.roles & role;
}

bool code_is_entry(const struct code *code)
{
	return code_is_runtime(code) && code->is_described &&
	       code->described.function_class == ompdx_function_entry;
}
