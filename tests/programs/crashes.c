/* SPDX-License-Identifier: Apache-2.0
 *
 * Thread 2 of a region ends the program in the way that the first argument names; the others wait for it.
 * Truth, in OMPD_TRUTH_FILE: "LINE ADDRESS THREAD" of what it is going to do; 0 for an address that there is none of.
 */
#include <omp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int zero, sink;
static volatile char *place;

static void at(int line, const volatile void *address)
{
	const char *path = getenv("OMPD_TRUTH_FILE");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		exit(3);
	fprintf(file, "%d %#lx %ld\n", line, (unsigned long)(uintptr_t)address,
		syscall(SYS_gettid));
	fclose(file);
}

static char *beyond_the_end_of_a_file(void)
{
	FILE *file = tmpfile();

	return mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
}

static void end(const char *how)
{
	if (strcmp(how, "unmapped") == 0) {
		place = (volatile char *)8192;
		at(__LINE__ + 1, place);
		*place = 1;
	} else if (strcmp(how, "protected") == 0) {
		place = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		at(__LINE__ + 1, place);
		*place = 1;
	} else if (strcmp(how, "file") == 0) {
		place = beyond_the_end_of_a_file();
		at(__LINE__ + 1, place);
		sink = *place;
	} else if (strcmp(how, "division") == 0) {
		at(__LINE__ + 1, NULL);
		sink = 1 / zero;
	} else if (strcmp(how, "abort") == 0) {
		at(__LINE__ + 1, NULL);
		abort();
	} else if (strcmp(how, "quit") == 0) {
		signal(SIGQUIT, SIG_DFL); /* a shell's background jobs ignore it */
		at(__LINE__ + 1, NULL);
		raise(SIGQUIT);
	} else if (strcmp(how, "wait") == 0) {
		alarm(120); /* what outlives its test must not stay */
		at(__LINE__ + 2, NULL);
		for (;;)
			pause();
	} else {
		exit(atoi(how));
	}
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 2)
			end(argv[1]);
	}
	return 0;
}
