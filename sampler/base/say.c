/* SPDX-License-Identifier: Apache-2.0 */
#include "base/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void say_arguments(const char *format, va_list arguments)
{
	fputs("ompd-sampler: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
}

void say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say_arguments(format, arguments);
	va_end(arguments);
}

void fail(enum exit_status status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say_arguments(format, arguments);
	va_end(arguments);
	exit((int)status);
}
