/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls a library's constructs: library_places HOW LIBRARY [LIBRARY]. The second one's threads stay in a region meanwhile.
 * HOW is the end of a name in library_places_part.cc, or within/HOW: inside of a region of this program.
 * With PLACES_APART in the environment the library has a namespace of its own, and a runtime.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void call_fn(void);
typedef bool ask_fn(void);

static void *function(const char *how, const char *path)
{
	char name[64];
	const bool apart = getenv("PLACES_APART") != NULL;
	void *const library = apart ? dlmopen(LM_ID_NEWLM, path, RTLD_NOW) : dlopen(path, RTLD_NOW);
	void *found = NULL;

	snprintf(name, sizeof(name), "place_%s", how);
	if (library)
		found = dlsym(library, name);
	if (!found) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return found;
}

static void begin(const char *how, const char *path)
{
	const char *const inner = strncmp(how, "within/", 7) ? NULL : how + 7;
	call_fn *const call = (call_fn *)function(inner ? inner : how, path);

	if (inner) {
#pragma omp parallel num_threads(2)
		{
#pragma omp master
			call();
		}
	} else {
		call();
	}
}

static void *stay(void *path)
{
	begin("stay", path);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 3) {
		ask_fn *const settled = (ask_fn *)function("settled", argv[3]);

		if (pthread_create(&thread, NULL, stay, argv[3]))
			return 1;
		while (!settled())
			usleep(1000);
	}
	begin(argv[1], argv[2]);
	return 0;
}
