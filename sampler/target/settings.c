/* SPDX-License-Identifier: Apache-2.0 */
#include "target/settings.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "target/process.h"

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

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

/* Of whoever has a user namespace of his own the kernel does not take them. */
static bool has_capability_for_perf(void)
{
	const struct process self = {.pid = getpid()};
	const uint64_t enough = UINT64_C(1) << CAP_PERFMON | UINT64_C(1) << CAP_SYS_ADMIN;
	char text[128];
	unsigned long inside, outside, count;
	const ssize_t size = process_file(&self, "uid_map", text, sizeof text - 1);

	text[size > 0 ? size : 0] = 0;
	return sscanf(text, "%lu %lu %lu", &inside, &outside, &count) == 3 && !inside && !outside &&
	       count == UINT32_MAX && process_status(&self, "CapEff", 16) & enough;
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
		.perf_privileged = has_capability_for_perf(),
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
