/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads in a region of the program's runtime; the first also begins a region of three threads of the
 * runtime that the library second_part.so, named by OMPD_SECOND_PART, brings along; with OMPD_NAMESPACE in a
 * link-map namespace of its own.
 * Truth, in OMPD_TRUTH_FILE.second: a line "TID NUMBER" for each thread of the second region; nothing else.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "truth.h"

static int arrived;

/* Three threads of the second region and one of the first: whoever comes last stops the program. */
static void arrive(void)
{
	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == 4) {
		truth_write();
		stop_here();
		exit(0);
	}
	for (;;)
		pause();
}

static void second(int thread_num)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s.second", getenv("OMPD_TRUTH_FILE"));
	pthread_mutex_lock(&truth_lock);
	file = fopen(path, "a");
	if (!file)
		abort();
	fprintf(file, "%ld %d\n", truth_tid(), thread_num);
	fclose(file);
	pthread_mutex_unlock(&truth_lock);
	arrive();
}

int main(void)
{
	void (*second_region)(int, void (*)(int));
	const int flags = RTLD_NOW | RTLD_LOCAL;
	void *part = getenv("OMPD_NAMESPACE")
			     ? dlmopen(LM_ID_NEWLM, getenv("OMPD_SECOND_PART"), flags)
			     : dlopen(getenv("OMPD_SECOND_PART"), flags | RTLD_DEEPBIND);

	if (!part) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	*(void **)&second_region = dlsym(part, "second_region");
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			second_region(3, second);
		arrive();
	}
}
