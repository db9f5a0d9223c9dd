/* SPDX-License-Identifier: Apache-2.0
 *
 * What a newer distribution's libgomp.a wants of its C library, for an older one. A library's own comes first.
 */
#include <stdlib.h>

#define WEAK __attribute__((weak))

WEAK long __isoc23_strtol(const char *text, char **end, int base)
{
	return strtol(text, end, base);
}

WEAK unsigned long __isoc23_strtoul(const char *text, char **end, int base)
{
	return strtoul(text, end, base);
}

WEAK unsigned long long __isoc23_strtoull(const char *text, char **end, int base)
{
	return strtoull(text, end, base);
}
