/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/critical_code.h"

#include <string.h>

#include "inference/call_target.h"
#include "inference/instruction.h"
#include "names/names.h"

/* Of a longer construct it is not known where it ends. */
#define CODE_BYTES 16384

#if defined __x86_64__

static bool calls(const uint8_t *code)
{
	return code[0] == 0xe8 || (code[0] == 0xff && code[1] == 0x15);
}

#else

static bool calls(const uint8_t *code)
{
	return code[3] >> 2 == 0x25;
}

#endif

/* 1: it begins a critical construct, -1: it ends one. */
static int what_it_does(const char *symbol)
{
	static const char *const begin[] = {"GOMP_critical_start", "GOMP_critical_name_start",
					    "__kmpc_critical", "__kmpc_critical_with_hint"};
	static const char *const end[] = {"GOMP_critical_end", "GOMP_critical_name_end",
					  "__kmpc_end_critical"};

	for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
		if (strcmp(symbol, begin[i]) == 0)
			return 1;
	for (size_t i = 0; i < sizeof end / sizeof *end; i++)
		if (strcmp(symbol, end[i]) == 0)
			return -1;
	return 0;
}

static int done_by_call(const struct codes *codes, uint64_t returns)
{
	const uint64_t target = call_target_read(codes->memory, returns).address;
	struct image *image = target ? image_at(codes->images, target) : NULL;
	const struct function_name name =
		image ? name_function(image, target) : (struct function_name){NULL, 0};

	return name.symbol && name.start == target ? what_it_does(name.symbol) : 0;
}

/* Compilers lay out what is executed in a construct in its order. */
uint64_t critical_code_end(const struct codes *codes, uint32_t call)
{
	static uint8_t code[CODE_BYTES];
	const uint64_t from = code_of(codes, call)->pc + 1;
	uint64_t start, end;
	int depth = 1;

	if (!images_function(codes->images, from - 1, &start, &end) || from >= end)
		return 0;
	const size_t size = memory_read_some(
		codes->memory, from, end - from < sizeof code ? (size_t)(end - from) : sizeof code,
		code);

	for (size_t at = 0, length; (length = instruction_length(code + at, size - at));
	     at += length) {
		if (length < 4 || !calls(code + at))
			continue;
		depth += done_by_call(codes, from + at + length);
		if (depth == 0)
			return from + at + length;
	}
	return 0;
}
