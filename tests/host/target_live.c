/* SPDX-License-Identifier: Apache-2.0
 *
 * A process, every thread of it stopped by ptrace for as long as it is looked at.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail.h"
#include "target.h"

/* A thread that is stopped starts no other: two rounds find all, unless they start faster than we stop. */
#define ROUNDS_MAX 100
/* Signals and thread starts that a program may have before its stop. */
#define EVENTS_MAX 1000000

struct live {
	struct target target;
	int memory; /* /proc/PID/mem: also what the process itself may not read */
	bool started;
	pid_t *stopped;
	size_t stopped_count;
};

static bool live_read(struct target *target, uint64_t address, size_t size, void *buffer)
{
	const struct live *live = (const struct live *)target;
	struct iovec here = {buffer, size};
	struct iovec there = {(void *)(uintptr_t)address, size};

	if (process_vm_readv(target->pid, &here, 1, &there, 1, 0) == (ssize_t)size)
		return true;
	return address <= INT64_MAX &&
	       pread(live->memory, buffer, size, (off_t)address) == (ssize_t)size;
}

static void live_close(struct target *target)
{
	struct live *live = (struct live *)target;

	if (live->started) {
		kill(target->pid, SIGKILL);
		/* The process ends when all its threads are seen off. */
		while (waitpid(-1, NULL, __WALL) > 0)
			;
	} else {
		for (size_t i = 0; i < live->stopped_count; i++)
			ptrace(PTRACE_DETACH, live->stopped[i], NULL, NULL);
	}
	close(live->memory);
	free(live->stopped);
	free(live);
}

static bool is_stopped(const struct live *live, pid_t lwp)
{
	for (size_t i = 0; i < live->stopped_count; i++)
		if (live->stopped[i] == lwp)
			return true;
	return false;
}

static void add_stopped(struct live *live, pid_t lwp)
{
	live->stopped = grown(live->stopped, live->stopped_count + 1, sizeof(live->stopped[0]));
	live->stopped[live->stopped_count++] = lwp;
}

/* False when the thread has ended meanwhile. */
static bool stop_thread(const struct live *live, pid_t lwp)
{
	int status;

	if (ptrace(PTRACE_SEIZE, lwp, NULL, NULL) != 0) {
		if (errno == ESRCH)
			return false;
		/* Threads of a program that we started are ours from their first moment. */
		if (!live->started)
			fail("cannot trace %d: %s. It has to be alive and yours, and no debugger "
			     "may hold it.",
			     (int)lwp, strerror(errno));
	}
	if (ptrace(PTRACE_INTERRUPT, lwp, NULL, NULL) != 0)
		return false;
	return waitpid(lwp, &status, __WALL) == lwp && WIFSTOPPED(status);
}

static bool stop_new_threads(struct live *live)
{
	char path[64];
	const struct dirent *entry;
	bool found = false;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)live->target.pid);
	tasks = opendir(path);
	if (!tasks)
		fail("there is no process %d", (int)live->target.pid);
	while ((entry = readdir(tasks))) {
		const pid_t lwp = (pid_t)strtol(entry->d_name, NULL, 10);

		if (lwp > 0 && !is_stopped(live, lwp) && stop_thread(live, lwp)) {
			add_stopped(live, lwp);
			found = true;
		}
	}
	closedir(tasks);
	return found;
}

static int open_of_process(pid_t pid, const char *name)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		fail("cannot open %s: %s", path, strerror(errno));
	return file;
}

static struct live *live_create(pid_t pid)
{
	struct live *live = grown(NULL, 1, sizeof(*live));

	*live = (struct live){.target = {.pid = pid, .read = live_read, .close = live_close}};
	return live;
}

/* All threads stand still from here on. */
static struct target *live_open(struct live *live)
{
	struct target *target = &live->target;
	char path[64];
	ssize_t length;
	int auxv;

	for (int i = 0; i < ROUNDS_MAX && stop_new_threads(live); i++)
		;
	live->memory = open_of_process(target->pid, "mem");
	auxv = open_of_process(target->pid, "auxv");
	length = read(auxv, target->auxv, sizeof(target->auxv));
	target->auxv_size = length > 0 ? (size_t)length : 0;
	close(auxv);
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)target->pid);
	length = readlink(path, target->executable, sizeof(target->executable) - 1);
	if (length < 0)
		fail("cannot tell the program of process %d: %s", (int)target->pid,
		     strerror(errno));
	target->executable[length] = 0;
	return target;
}

struct target *target_attach(pid_t pid)
{
	return live_open(live_create(pid));
}

static bool means_stop(int number)
{
	switch (number) {
	case SIGSTOP:
	case SIGUSR1:
	case SIGABRT:
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
	case SIGTRAP:
		return true;
	default:
		return false;
	}
}

/* Passes on whatever happens before the stop, and returns the thread that stopped. */
static pid_t wait_for_stop(const char *program, pid_t pid)
{
	for (int i = 0; i < EVENTS_MAX; i++) {
		int status, number;
		const pid_t lwp = waitpid(-1, &status, __WALL);

		if (lwp < 0)
			fail("%s is gone: %s", program, strerror(errno));
		if (lwp == pid && WIFEXITED(status))
			fail("%s ended with status %d before it raised SIGSTOP, SIGUSR1 or "
			     "SIGABRT, or crashed",
			     program, WEXITSTATUS(status));
		if (lwp == pid && WIFSIGNALED(status))
			fail("%s was ended by signal %d", program, WTERMSIG(status));
		if (!WIFSTOPPED(status))
			continue;                             /* another thread has ended */
		number = status >> 16 ? 0 : WSTOPSIG(status); /* an event is no signal */
		if (means_stop(number))
			return lwp;
		ptrace(PTRACE_CONT, lwp, NULL, (void *)(intptr_t)number);
	}
	fail("%s does not get to a stop", program);
}

struct target *target_run(char **words)
{
	const long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
	struct live *live;
	int gate[2];
	pid_t pid;

	if (pipe2(gate, O_CLOEXEC) != 0 || (pid = fork()) < 0)
		fail("cannot start %s: %s", words[0], strerror(errno));
	if (pid == 0) {
		char go;

		/* Not before we trace it; and the standard output is the document's. */
		if (read(gate[0], &go, 1) == 1 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
			execvp(words[0], words);
		warn("cannot start %s: %s", words[0], strerror(errno));
		_exit(127);
	}
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)options) != 0)
		fail("cannot trace %s: %s", words[0], strerror(errno));
	if (write(gate[1], "", 1) != 1)
		fail("cannot start %s: %s", words[0], strerror(errno));
	close(gate[0]);
	close(gate[1]);
	live = live_create(pid);
	live->started = true;
	add_stopped(live, wait_for_stop(words[0], pid));
	return live_open(live);
}
