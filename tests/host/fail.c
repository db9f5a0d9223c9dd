/* SPDX-License-Identifier: Apache-2.0 */
#include "fail.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(const char *format, va_list arguments)
{
	fputs("ompd-host: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
}

void fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	exit(1);
}

void warn(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
}

void *grown(void *block, size_t count, size_t size)
{
	void *now = count > SIZE_MAX / size ? NULL : realloc(block, count * size);

	if (!now)
		fail("no memory for %zu times %zu bytes", count, size);
	return now;
}

char *copied(const char *text)
{
	char *copy = grown(NULL, strlen(text) + 1, 1);

	strcpy(copy, text);
	return copy;
}
