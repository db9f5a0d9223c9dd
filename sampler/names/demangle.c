/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "names/names.h"

typedef char *demangler(const char *, char *, size_t *, int *);

/* C++'s library has it. We are not linked with that. */
static demangler *find_demangler(void)
{
	static demangler *found;
	static bool tried;

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
