/* SPDX-License-Identifier: Apache-2.0
 *
 * Unloads the library that its argument names while a team executes the library's code; then it ends itself, if
 * OMPD_TRUTH_STOP is set, or stays.
 */
#include "settle.h"

#include <dlfcn.h>
#include <pthread.h>

static void *call(void *part)
{
	((void (*)(void))part)();
	return NULL;
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	const volatile int *inside = library ? dlsym(library, "inside") : NULL;
	pthread_t caller;

	if (!inside || pthread_create(&caller, NULL, call, dlsym(library, "unloads_part")) != 0)
		abort();
	while (*inside < 3)
		usleep(1000);
	settle();
	if (dlclose(library) != 0)
		abort();
	puts("unloaded");
	fflush(stdout);
	if (getenv("OMPD_TRUTH_STOP"))
		abort();
	pause();
	return 0;
}
