/* SPDX-License-Identifier: Apache-2.0
 *
 * Ends as soon as a debugger holds its second thread, which works: that leaves its stop then, and cannot be let go.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int lwp;

static void *work(void *unused)
{
	volatile long turns = 0;

	(void)unused;
	__atomic_store_n(&lwp, (int)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	for (;;)
		turns = turns + 1;
	return NULL;
}

static int is_held(int file)
{
	char text[256];
	const ssize_t size = pread(file, text, sizeof text - 1, 0);

	text[size > 0 ? size : 0] = 0;
	const char *name_end = strrchr(text, ')');

	return name_end && strncmp(name_end, ") t", 3) == 0;
}

int main(void)
{
	char path[64];
	pthread_t worker;

	if (pthread_create(&worker, NULL, work, NULL) != 0)
		return 1;
	while (!__atomic_load_n(&lwp, __ATOMIC_SEQ_CST))
		;
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", lwp);
	const int file = open(path, O_RDONLY);

	while (!is_held(file))
		;
	_exit(3);
}
