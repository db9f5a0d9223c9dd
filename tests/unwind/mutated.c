/* SPDX-License-Identifier: Apache-2.0
 *
 * mutated COUNT: the C library's .eh_frame with bytes changed, COUNT times, by numbered seeds. Does unwinding by it end,
 * and read nothing that is not there? The sanitizers tell.
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "any_bytes.h"
#include "unwind/cfi.h"
#include "unwind/entries.h"

/* As much as the first entries take, which are about the first code. */
#define FRAMES_SIZE 4096
#define STACK_SIZE 512
#define PLACES_MAX 256
#define CODE_STEP 16
#define CODE_SIZE 0x400000

struct input {
	struct any_head head;
	uint8_t frames[FRAMES_SIZE];
	uint8_t stack[STACK_SIZE];
};

/* Our own pages: what the header points to is in memory as in the file. */
static int take_frames(struct dl_phdr_info *info, size_t size, void *frames)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_GNU_EH_FRAME ||
		    !strstr(info->dlpi_name, "libc.so"))
			continue;
		const uint8_t *header =
			(const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
		int32_t to_frames;

		memcpy(&to_frames, header + 4, sizeof to_frames);
		memcpy(frames, header + 4 + to_frames, FRAMES_SIZE);
		return 1;
	}
	return 0;
}

static uint64_t drawn(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

/* Addresses that the entries are about: the code lies before them. */
static size_t find_places(const uint8_t *frames, uint64_t *places)
{
	struct cfi cfi = {
		.frames = frames, .frames_size = FRAMES_SIZE, .frames_address = FRAMES_AT};
	struct row row;
	size_t count = 0;

	list_entries(&cfi);
	for (uint64_t at = FRAMES_AT - CODE_SIZE; at < FRAMES_AT && count < PLACES_MAX;
	     at += CODE_STEP) {
		cfi_row(&cfi, at, &row);
		if (row.told)
			places[count++] = at;
	}
	free(cfi.lines);
	return count;
}

static void mutate(struct input *input, const uint8_t *frames, uint64_t pc, uint64_t seed)
{
	uint64_t state = seed;

	*input = (struct input){.head = {FRAMES_SIZE, 0, pc, drawn(&state) << 16}};
	memcpy(input->frames, frames, FRAMES_SIZE);
	for (uint64_t changes = drawn(&state) % 128; changes > 0; changes--)
		input->frames[drawn(&state) % FRAMES_SIZE] = (uint8_t)drawn(&state);
	/* Return addresses, as far as it goes. */
	for (size_t i = 0; i + sizeof pc <= STACK_SIZE; i += sizeof pc)
		memcpy(input->stack + i, &pc, sizeof pc);
	input->stack[drawn(&state) % STACK_SIZE] ^= 1;
}

int main(int argc, char **argv)
{
	static struct input input;
	static uint8_t frames[FRAMES_SIZE];
	static uint64_t places[PLACES_MAX];
	const unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	unsigned long followed = 0;
	const size_t place_count =
		dl_iterate_phdr(take_frames, frames) ? find_places(frames, places) : 0;

	if (!place_count) {
		fputs("The C library's .eh_frame tells nothing here.\n", stderr);
		return 1;
	}
	for (unsigned long seed = 0; seed < count; seed++) {
		mutate(&input, frames, places[seed % place_count], seed);
		followed += unwind_any((const uint8_t *)&input, sizeof input) > 1;
	}
	printf("%lu of %lu stacks were followed to a caller\n", followed, count);
	/* Else the bytes that were changed were hardly looked at. */
	return followed * 4 < count;
}
