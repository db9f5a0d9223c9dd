/* SPDX-License-Identifier: Apache-2.0
 *
 * Loaded before all others by LD_PRELOAD: which processes were attached to, and what was forked? A line each in the file
 * that FORKS_FILE names: "PID attach PID" or "PID fork".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

static void tell(const char *what, long number)
{
	const char *path = getenv("FORKS_FILE");
	const int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	if (file >= 0) {
		dprintf(file, "%d %s %ld\n", getpid(), what, number);
		close(file);
	}
}

pid_t fork(void)
{
	pid_t (*next)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");

	tell("fork", 0);
	return next();
}

long ptrace(enum __ptrace_request request, ...)
{
	long (*next)(int, long, void *, void *) =
		(long (*)(int, long, void *, void *))dlsym(RTLD_NEXT, "ptrace");
	va_list rest;

	va_start(rest, request);
	const pid_t pid = va_arg(rest, pid_t);
	void *address = va_arg(rest, void *), *data = va_arg(rest, void *);
	va_end(rest);
	if (request == PTRACE_ATTACH || request == PTRACE_SEIZE)
		tell("attach", pid);
	return next((int)request, pid, address, data);
}
