/* SPDX-License-Identifier: Apache-2.0
 *
 * lengths CODE: reads lines "FROM TO", places in the file, in hexadecimal, and writes where instructions begin from the one
 * to the other: the first place that is not known ends the line with "-".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "inference/instruction.h"

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	size_t from, to;

	if (!file || fseek(file, 0, SEEK_END))
		return 2;
	const size_t size = (size_t)ftell(file);
	uint8_t *code = malloc(size);

	rewind(file);
	if (!code || fread(code, 1, size, file) != size)
		return 2;
	while (scanf("%zx %zx", &from, &to) == 2 && to <= size) {
		for (size_t length; from < to; from += length) {
			length = length_on_x86_64(code + from, to - from);
			printf(length ? "%zx " : "-", from);
			if (!length)
				break;
		}
		putchar('\n');
	}
	free(code);
	return fclose(file) != 0;
}
