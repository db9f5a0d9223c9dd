/* SPDX-License-Identifier: Apache-2.0 */
#include "python/lines.h"

#include "python/layouts.h"

/* Kinds of entries since 3.11. */
enum { SHORT_FIRST = 10, SHORT_LAST = 12, NO_COLUMNS, LONG, WITHOUT_LINE };

/* More bytes a number of 32 bits never has. */
#define NUMBER_BYTES 7

static int64_t by_pairs(const uint8_t *table, size_t size, int64_t line, int64_t at)
{
	int64_t end = 0;

	for (size_t i = 0; i + 1 < size; i += 2) {
		const int8_t lines = (int8_t)table[i + 1];

		end += table[i];
		if (lines != PYTHON_NO_LINE)
			line += lines;
		if (end > at)
			return lines == PYTHON_NO_LINE ? 0 : line;
	}
	return 0;
}

/* Six bits a byte, the lowest first; of the number the lowest is its sign. */
static int64_t read_number(const uint8_t *table, size_t size, size_t at)
{
	int64_t value = 0;

	for (size_t i = 0; i < NUMBER_BYTES && at + i < size; i++) {
		value |= (int64_t)(table[at + i] & 63) << 6 * i;
		if (!(table[at + i] & 64))
			break;
	}
	return value & 1 ? -(value >> 1) : value >> 1;
}

static int64_t by_locations(const uint8_t *table, size_t size, int64_t line, int64_t at)
{
	int64_t end = 0;

	for (size_t i = 0; i < size;) {
		const int kind = table[i] >> 3 & 15;

		end += (table[i] & 7) + 1;
		if (kind == NO_COLUMNS || kind == LONG)
			line += read_number(table, size, i + 1);
		else if (kind >= SHORT_FIRST && kind <= SHORT_LAST)
			line += kind - SHORT_FIRST;
		if (end > at)
			return kind == WITHOUT_LINE ? 0 : line;
		/* An entry's first byte has its highest bit set. */
		do
			i++;
		while (i < size && !(table[i] & 128));
	}
	return 0;
}

int32_t python_line(uint32_t minor, const uint8_t *table, size_t size, int32_t first, int64_t at)
{
	int64_t line = first;

	if (at >= 0)
		line = minor >= 11 ? by_locations(table, size, first, at)
				   : by_pairs(table, size, first, at);
	return line > 0 && line <= INT32_MAX ? (int32_t)line : 0;
}
