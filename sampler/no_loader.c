/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

/* A program that is linked statically could load only libraries made with the very same C library. elfutils would load
 * a client of debuginfod when it begins: the linker has it call these. */

void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlsym(void *library, const char *name);
int __wrap_dlclose(void *library);

void *__wrap_dlopen(const char *file, int mode)
{
	(void)file, (void)mode;
	return NULL;
}

void *__wrap_dlsym(void *library, const char *name)
{
	(void)library, (void)name;
	return NULL;
}

int __wrap_dlclose(void *library)
{
	(void)library;
	return 0;
}
