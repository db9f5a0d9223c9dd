/* SPDX-License-Identifier: Apache-2.0 */
#include "target/text.h"

#include <string.h>

size_t text_copy(char *buffer, size_t size, const char *text)
{
	size_t length = 0;

	while (length < size - 1 && text[length])
		length++;
	memcpy(buffer, text, length);
	buffer[length] = '\0';
	return length;
}

void text_append(char *buffer, size_t size, const char *text)
{
	const size_t used = strlen(buffer);

	text_copy(buffer + used, size - used, text);
}

const char *text_hex(char buffer[TEXT_HEX_SIZE], uint64_t value)
{
	size_t at = TEXT_HEX_SIZE - 1;

	buffer[at] = '\0';
	do {
		buffer[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	buffer[--at] = 'x';
	buffer[--at] = '0';
	memmove(buffer, buffer + at, TEXT_HEX_SIZE - at);
	return buffer;
}

const char *text_decimal(char buffer[TEXT_DECIMAL_SIZE], int64_t value)
{
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	size_t at = TEXT_DECIMAL_SIZE - 1;

	buffer[at] = '\0';
	do {
		buffer[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (value < 0)
		buffer[--at] = '-';
	memmove(buffer, buffer + at, TEXT_DECIMAL_SIZE - at);
	return buffer;
}
