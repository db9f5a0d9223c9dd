/* SPDX-License-Identifier: Apache-2.0
 *
 * passed MACHINE CODE START [SLOT=VALUE...]: of code in a file, which lies at START, and words that never change. Reads
 * lines "RETURNS ARGUMENT" (the address behind a call, and which argument) and writes what is passed, "-": not told.
 * Numbers are hexadecimal. MACHINE: x86_64, aarch64.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inference/passed.h"

/* As much on both sides of a call as the sampler reads. */
enum { AROUND = 65536, SLOTS = 4096 };

static struct {
	uint64_t address, value;
} slots[SLOTS];
static size_t slot_count;

static bool constant(void *context, uint64_t address, uint64_t *value)
{
	(void)context;
	for (size_t i = 0; i < slot_count; i++)
		if (slots[i].address == address) {
			*value = slots[i].value;
			return true;
		}
	return false;
}

static uint8_t *all_of(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;

	if (!file || fseek(file, 0, SEEK_END) || ftell(file) <= 0)
		exit(2);
	*size = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*size);
	if (!bytes || fread(bytes, 1, *size, file) != *size)
		exit(2);
	fclose(file);
	return bytes;
}

int main(int argc, char **argv)
{
	uint64_t returns, value, start;
	int argument;
	size_t size;

	if (argc < 4)
		return 2;
	const uint8_t *bytes = all_of(argv[2], &size);

	start = strtoull(argv[3], NULL, 16);
	for (int i = 4; i < argc && slot_count < SLOTS; i++, slot_count++) {
		char *end;

		slots[slot_count].address = strtoull(argv[i], &end, 16);
		slots[slot_count].value = strtoull(end + 1, NULL, 16);
	}
	while (scanf("%" SCNx64 " %x", &returns, (unsigned *)&argument) == 2) {
		const size_t end = (size_t)(returns - start);
		const size_t first = end > AROUND ? end - AROUND : 0;
		const size_t last = size - end > AROUND ? end + AROUND : size;
		const struct call_code code = {.bytes = bytes + first,
					       .size = last - first,
					       .end = end - first,
					       .start = start + first,
					       .constant = constant};
		const bool found = strcmp(argv[1], "aarch64") == 0
					   ? passed_on_aarch64(&code, argument, &value)
					   : passed_on_x86_64(&code, argument, &value);

		if (found)
			printf("%" PRIx64 "\n", value);
		else
			puts("-");
	}
	return 0;
}
