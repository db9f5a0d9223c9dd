/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "names/names.h"

typedef char *demangler(const char *, char *, size_t *, int *);

/* Of C++'s library. A release is linked with it, other builds load it where it is. */
extern demangler __cxa_demangle __attribute__((weak));

static demangler *find_demangler(void)
{
	static demangler *found;
	static bool tried;

	if (__cxa_demangle)
		return __cxa_demangle;
	if (!tried) {
		void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
		void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;

		tried = true;
		memcpy(&found, &symbol, sizeof found);
	}
	return found;
}

char *demangled(const char *symbol)
{
	demangler *demangle = strncmp(symbol, "_Z", 2) == 0 ? find_demangler() : NULL;
	int status;
	char *text = demangle ? demangle(symbol, NULL, NULL, &status) : NULL;

	return text ? text : copy_text(symbol);
}
