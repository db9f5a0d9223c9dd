/* SPDX-License-Identifier: Apache-2.0
 *
 * How does libFuzzer change an input? Patches stay whole: an inserted byte would turn all that follow into others.
 */
#include <string.h>

#include "fuzz_memory.h"
#include "memory_image.h"

#define HEADER 2u

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum change {
	CHANGE_ADD,
	CHANGE_REMOVE,
	CHANGE_REPEAT, /* the same patch at another place, or with another argument */
	CHANGE_FIELD,
	CHANGE_TOOL,
	CHANGE_BYTES, /* libFuzzer's own ways, with what it saw compared */
	CHANGE_COUNT
};

static uint32_t next(uint32_t *state)
{
	*state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
	return *state >> 8;
}

static void set_place(uint8_t *patch, uint32_t *state)
{
	const uint32_t place = next(state);

	for (unsigned i = 0; i < 3; i++)
		patch[1 + i] = (uint8_t)(place >> (8 * i));
}

static void set_argument(uint8_t *patch, uint32_t *state)
{
	static const uint32_t telling[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x20000};
	uint32_t argument = next(state);

	switch (next(state) % 3) {
	case 0:
		argument = telling[argument % (sizeof(telling) / sizeof(telling[0]))];
		break;
	case 1:
		argument %= 64;
		break;
	}
	for (unsigned i = 0; i < 4; i++)
		patch[4 + i] = (uint8_t)(argument >> (8 * i));
}

static void change_field(uint8_t *patch, uint32_t *state)
{
	switch (next(state) % 3) {
	case 0:
		patch[0] = (uint8_t)(next(state) % 16);
		break;
	case 1:
		set_place(patch, state);
		break;
	default:
		set_argument(patch, state);
		break;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	const size_t count = size > HEADER ? (size - HEADER) / PATCH_SIZE : 0;
	uint32_t state = seed;
	enum change change = next(&state) % CHANGE_COUNT;
	uint8_t *patches = data + HEADER, *chosen;
	const bool full = HEADER + (count + 1) * PATCH_SIZE > max_size;

	if (size < HEADER || data[0] == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	chosen = count ? patches + next(&state) % count * PATCH_SIZE : patches;
	if (count == 0 && change != CHANGE_TOOL)
		change = CHANGE_ADD;
	if (full && (change == CHANGE_ADD || change == CHANGE_REPEAT))
		change = count ? CHANGE_FIELD : CHANGE_TOOL;
	switch (change) {
	case CHANGE_ADD:
		chosen = patches + count * PATCH_SIZE;
		chosen[0] = (uint8_t)(next(&state) % 16);
		set_place(chosen, &state);
		set_argument(chosen, &state);
		return HEADER + (count + 1) * PATCH_SIZE;
	case CHANGE_REMOVE:
		memmove(chosen, chosen + PATCH_SIZE,
			(size_t)(patches + (count - 1) * PATCH_SIZE - chosen));
		return HEADER + (count - 1) * PATCH_SIZE;
	case CHANGE_REPEAT:
		memcpy(patches + count * PATCH_SIZE, chosen, PATCH_SIZE);
		change_field(patches + count * PATCH_SIZE, &state);
		return HEADER + (count + 1) * PATCH_SIZE;
	case CHANGE_FIELD:
		change_field(chosen, &state);
		break;
	case CHANGE_TOOL:
		data[1] ^= (uint8_t)(1u << next(&state) % 8);
		break;
	default:
		(void)LLVMFuzzerMutate(chosen, PATCH_SIZE, PATCH_SIZE);
		break;
	}
	return HEADER + count * PATCH_SIZE;
}
