/* SPDX-License-Identifier: Apache-2.0
 *
 * A program without OpenMP loads a library with a region, calls it, unloads it and the runtime, and does so
 * again. OMPD_PART names the library (loaded_part.c).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static void unloaded(void)
{
	__asm__ volatile("");
}

int main(void)
{
	for (int i = 0; i < 2; i++) {
		void *part = dlopen(getenv("OMPD_PART"), RTLD_NOW | RTLD_LOCAL);
		void (*region)(void);

		if (!part) {
			fprintf(stderr, "%s\n", dlerror());
			return 2;
		}
		*(void **)&region = dlsym(part, "region");
		region();
		dlclose(part);
		unloaded();
	}
	return 0;
}
