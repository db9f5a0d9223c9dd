/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LINE_DIGITS_MAX 9

static bool is_digit(char one)
{
	return one >= '0' && one <= '9';
}

/* Steps back over digits and the semicolon before them; false: it is no such. */
static bool number_before(const char *text, size_t *end, size_t *digits, bool *zero)
{
	size_t at = *end;

	*zero = true;
	while (at && is_digit(text[at - 1])) {
		at--;
		*zero = *zero && text[at] == '0';
	}
	*digits = *end - at;
	if (!at || text[at - 1] != ';')
		return false;
	*end = at - 1;
	return true;
}

static bool is(const char *text, size_t length, const char *other)
{
	return length == strlen(other) && memcmp(text, other, length) == 0;
}

/* A file's name may hold a semicolon: the fields are counted from the end. */
enum source_compiler source_compiler(const char *text)
{
	size_t end = text ? strlen(text) : 0, digits;
	bool zero;

	if (end < 2 || text[0] != ';' || text[end - 1] != ';' || text[end - 2] != ';')
		return SOURCE_NOTHING;
	end -= 2;
	if (!number_before(text, &end, &digits, &zero)) /* the column, which may be missing */
		return SOURCE_NOTHING;
	if (!number_before(text, &end, &digits, &zero) || !digits || digits > LINE_DIGITS_MAX ||
	    zero)
		return SOURCE_NOTHING;
	while (end && text[end - 1] != ';') /* the function */
		end--;
	if (end < 2)
		return SOURCE_NOTHING; /* no field is left for the file */
	text++;
	end -= 2;
	if (!end || is(text, end, "unknown"))
		return SOURCE_NOTHING;
	/* What flang records for every file's name. */
	return is(text, end, "FIRModule") || is(text, end, "LLVMDialectModule") ? SOURCE_OF_FLANG
										: SOURCE_OF_CLANG;
}
