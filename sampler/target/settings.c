/* SPDX-License-Identifier: Apache-2.0 */
#include "target/settings.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

static int number_in(const char *path)
{
	int number = NOT_THERE;
	FILE *file = fopen(path, "re");

	if (file && fscanf(file, "%d", &number) != 1)
		number = NOT_THERE;
	if (file)
		fclose(file);
	return number;
}

void settings_read(struct settings *settings)
{
	struct rlimit limit = {0, 0};

	getrlimit(RLIMIT_MEMLOCK, &limit);
	*settings = (struct settings){
		.perf_event_paranoid = number_in("/proc/sys/kernel/perf_event_paranoid"),
		.yama_ptrace_scope = number_in("/proc/sys/kernel/yama/ptrace_scope"),
		.memlock_bytes = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur,
		.uid = getuid(),
		.processors = sysconf(_SC_NPROCESSORS_ONLN),
	};
}

bool memory_allowed(pid_t pid)
{
	char byte;
	/* Nothing is mapped at 0: who may read is told so. */
	struct iovec here = {&byte, 1}, there = {NULL, 1};

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == 1 || errno == EFAULT;
}
