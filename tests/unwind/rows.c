/* SPDX-License-Identifier: Apache-2.0
 *
 * rows FILE FRAMES... [HEADER...]: what the sampler reads of .eh_frame at each address of stdin, hexadecimal, a line
 * each, in binutils' words. Of a section: its place in the file, its size, its address.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "unwind/cfi.h"
#include "unwind/entries.h"
#include "unwind/machine.h"

static const uint8_t *section(FILE *file, char **numbers, size_t *size, uint64_t *address)
{
	*size = strtoul(numbers[1], NULL, 16);
	*address = strtoull(numbers[2], NULL, 16);
	uint8_t *bytes = malloc(*size + 1);

	if (!bytes || fseek(file, strtol(numbers[0], NULL, 16), SEEK_SET) ||
	    fread(bytes, 1, *size, file) != *size)
		exit(2);
	return bytes;
}

static void print(uint64_t address, const struct row *row)
{
	printf("%" PRIx64, address);
	if (!row->told) {
		puts(" untold");
		return;
	}
	if (row->cfa_by_expression)
		printf(" cfa=exp");
	else
		printf(" cfa=%u%+d", row->cfa_register, row->cfa.value);
	for (unsigned i = 0; i < row->count; i++) {
		const struct rule *rule = &row->rules[i];
		const char *word[] = {"s", "u", "c", "v", "r", "exp", "vexp"};

		printf(" %u=%s", rule->column, word[rule->kind]);
		if (rule->kind == RULE_AT_OFFSET || rule->kind == RULE_IS_OFFSET)
			printf("%+d", rule->value);
		else if (rule->kind == RULE_REGISTER)
			printf("%d", rule->value);
	}
	puts("");
}

int main(int argc, char **argv)
{
	struct cfi cfi = {.begins_threads = true};
	struct row row;
	uint64_t address;
	FILE *file = argc >= 5 ? fopen(argv[1], "rb") : NULL;

	if (!file)
		return 2;
	cfi.frames = section(file, argv + 2, &cfi.frames_size, &cfi.frames_address);
	if (argc >= 8)
		cfi.header = section(file, argv + 5, &cfi.header_size, &cfi.header_address);
	list_entries(&cfi);
	while (scanf("%" SCNx64, &address) == 1) {
		cfi_row(&cfi, address, &row);
		print(address, &row);
	}
	fclose(file);
	free((void *)(uintptr_t)cfi.frames);
	free((void *)(uintptr_t)cfi.header);
	free(cfi.lines);
	return 0;
}
