/* SPDX-License-Identifier: Apache-2.0
 *
 * Constructs in a library that is compiled without -g and stripped. Each thread writes down, from the code of its
 * construct, its LWP and where that code is; then thread 0 of the innermost team aborts, and the others wait for it.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <omp.h>

#define NOINLINE extern "C" __attribute__((noinline))

static int expected, told;

/* "LWP, address to return to, file". */
NOINLINE void place_tell(void)
{
	void *const at = __builtin_return_address(0);
	const int lwp = (int)syscall(SYS_gettid);
	char line[4096];
	Dl_info code;

	if (!dladdr(at, &code))
		abort();
	const int length = snprintf(line, sizeof(line), "%d %p %s\n", lwp, at, code.dli_fname);
	const int file = open(getenv("OMPD_TRUTH_FILE"), O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (write(file, line, (size_t)length) != length)
		abort();
	close(file);
	__atomic_add_fetch(&told, 1, __ATOMIC_SEQ_CST);
}

/* Its own code is the innermost, when all have told and had the time to come to where they wait. */
NOINLINE void place_die(void)
{
	expected++;
	place_tell();
	while (__atomic_load_n(&told, __ATOMIC_SEQ_CST) < expected)
		usleep(1000);
	usleep(100000);
	abort();
}

/* Have all that are asked to wait come to where they do? */
extern "C" bool place_settled(void)
{
	return expected && __atomic_load_n(&told, __ATOMIC_SEQ_CST) == expected;
}

template <typename Work> static void in_team(const Work &work)
{
#pragma omp parallel num_threads(3)
	work();
}

extern "C" void place_region(void)
{
	expected = 3;
#pragma omp parallel num_threads(3)
	{
		place_tell();
		if (omp_get_thread_num() == 0)
			place_die();
#pragma omp barrier
		usleep(1);
	}
}

/* The others wait for thread 0, which does not die. */
extern "C" void place_stay(void)
{
	expected = 3;
#pragma omp parallel num_threads(3)
	{
		place_tell();
		while (omp_get_thread_num() == 0)
			usleep(1000);
#pragma omp barrier
		usleep(1);
	}
}

extern "C" void place_serial(void)
{
	place_tell();
	place_die();
	usleep(1);
}

extern "C" void place_lambda(void)
{
	expected = 3;
	in_team([] {
		place_tell();
		if (omp_get_thread_num() == 0)
			place_die();
#pragma omp barrier
		usleep(1);
	});
}

extern "C" void place_task(void)
{
	expected = 2;
#pragma omp parallel num_threads(2)
	{
#pragma omp task
		{
			place_tell();
			while (__atomic_load_n(&told, __ATOMIC_SEQ_CST) < expected)
				usleep(1000);
			if (omp_get_thread_num() == 0)
				place_die();
			while (expected)
				usleep(1000);
		}
	}
}

/* A team of one: clang's code calls that of the region itself. */
extern "C" void place_alone(void)
{
	expected = 1;
#pragma omp parallel num_threads(3) if (expected > 1)
	{
		place_tell();
		place_die();
		usleep(1);
	}
}

/* The region's code is left: its thread 0 waits for the others at its end, in the function that has the construct. */
extern "C" void place_end(void)
{
	expected = 2;
	place_tell();
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1) {
		place_tell();
		place_die();
		usleep(1);
	}
}
