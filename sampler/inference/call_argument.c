/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/call_argument.h"

#include "inference/passed.h"

/* On both sides of the call: jumps to what is before it come from its function, which may have a part that is seldom
 * executed elsewhere. */
#define CODE_BYTES 65536

struct words {
	struct memory *memory;
	const struct image *image;
};

/* In what the dynamic linker writes once, and nobody later. */
static bool constant(void *context, uint64_t address, uint64_t *value)
{
	const struct words *words = context;
	const struct image *image = words->image;
	const uint64_t in_file = address - image->bias;

	return in_file >= image->relro && in_file - image->relro < image->relro_size &&
	       memory_read(words->memory, address, sizeof *value, value);
}

bool call_argument(struct memory *memory, const struct image *image, uint64_t returns, int argument,
		   uint64_t *value)
{
	static uint8_t bytes[2 * CODE_BYTES];
	struct words words = {memory, image};
	struct call_code code = {.constant = constant, .context = &words};
	size_t before = 0;

	/* A page after the other: the file may begin there. */
	while (before < CODE_BYTES) {
		const uint64_t page = (returns - before - 1) & ~(uint64_t)(PAGE_BYTES - 1);
		const size_t more = (size_t)(returns - before - page);

		if (before + more > CODE_BYTES ||
		    !memory_read(memory, page, more, bytes + CODE_BYTES - before - more))
			break;
		before += more;
	}
	code.bytes = bytes + CODE_BYTES - before;
	code.size = before + memory_read_some(memory, returns, CODE_BYTES, bytes + CODE_BYTES);
	code.end = before;
	code.start = returns - before;
#if defined __x86_64__
	return passed_on_x86_64(&code, argument, value);
#else
	return passed_on_aarch64(&code, argument, value);
#endif
}
