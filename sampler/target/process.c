/* SPDX-License-Identifier: Apache-2.0 */
#include "target/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"

/* Of all descriptors, those below may be files that are kept: each takes a page of the kernel's, too. */
#define KEPT_SHARE 8
#define KEPT_BELOW 1024

/* A thread's stat: its name, and numbers. */
#define STAT_BYTES 1024

static ssize_t read_file(const char *path, void *bytes, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t done = 0;

	if (fd < 0)
		return -1;
	while (done < size) {
		ssize_t count = read(fd, (char *)bytes + done, size - done);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0) {
			close(fd);
			return -1;
		}
		if (count == 0)
			break;
		done += (size_t)count;
	}
	close(fd);
	return (ssize_t)done;
}

ssize_t process_file(const struct process *process, const char *name, void *bytes, size_t size)
{
	char path[96];

	snprintf(path, sizeof path, "/proc/%d/%s", process->pid, name);
	return read_file(path, bytes, size);
}

uint64_t process_status(const struct process *process, const char *name, int base)
{
	char text[4096], label[32];
	const ssize_t size = process_file(process, "status", text, sizeof text - 1);

	text[size > 0 ? size : 0] = 0;
	snprintf(label, sizeof label, "\n%s:", name);
	const char *line = strstr(text, label);

	return line ? strtoull(line + strlen(label), NULL, base) : 0;
}

/* The most part of descriptors is for clocks. */
static bool may_be_kept(int fd)
{
	struct rlimit limit;

	return fd > 0 && fd < KEPT_BELOW && getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	       (rlim_t)fd < limit.rlim_cur / KEPT_SHARE;
}

/* The kernel makes it for one call: a second one would only be told that this was all. */
static ssize_t thread_file(const struct process *process, pid_t lwp, const char *name, int *kept,
			   char *text, size_t size)
{
	int fd = kept ? *kept : 0;
	ssize_t count;

	text[0] = 0;
	if (!fd) {
		char path[96];

		snprintf(path, sizeof path, "/proc/%d/task/%d/%s", process->pid, lwp, name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (fd < 0)
		return -1;
	do
		count = pread(fd, text, size - 1, 0);
	while (count < 0 && errno == EINTR);
	const int error = errno;

	text[count > 0 ? count : 0] = 0;
	if (!kept || *kept != fd || count <= 0) {
		const bool keeps = kept && count > 0 && may_be_kept(fd);

		if (!keeps)
			close(fd);
		if (kept)
			*kept = keeps ? fd : 0;
	}
	errno = error;
	return count;
}

bool process_close_kept(struct kept_files *kept)
{
	const bool were_open = kept->call || kept->schedule;

	if (kept->call)
		close(kept->call);
	if (kept->schedule)
		close(kept->schedule);
	*kept = (struct kept_files){0};
	return were_open;
}

/* Returns where the name ends, which may hold anything, but that is the last ")". */
static const char *read_stat_text(const struct process *process, pid_t lwp, char text[STAT_BYTES])
{
	const char *end = thread_file(process, lwp, "stat", NULL, text, STAT_BYTES) > 0
				  ? strrchr(text, ')')
				  : NULL;

	return end && end[1] == ' ' ? end : NULL;
}

/* Of its first thread: a letter, and the moment of its birth. The process's own file tells the same, but the kernel sums up
 * all threads' times for it. */
static bool read_stat(const struct process *process, char *state, uint64_t *started)
{
	char text[STAT_BYTES];
	const char *at = read_stat_text(process, process->pid, text);

	if (!at)
		return false;
	*state = at[2];
	at += 2;
	/* The state is field 3, the start field 22. */
	for (int field = 3; field < 22 && at; field++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, " %" SCNu64, started) == 1;
}

bool process_init(struct process *process, pid_t pid)
{
	char state;

	*process = (struct process){.pid = pid};
	return read_stat(process, &state, &process->started);
}

bool process_lives(const struct process *process)
{
	char state;
	uint64_t started;

	return read_stat(process, &state, &started) && started == process->started &&
	       state != 'Z' && state != 'X';
}

int64_t process_owner(const struct process *process)
{
	char path[64];
	struct stat status;

	snprintf(path, sizeof path, "/proc/%d", process->pid);
	return stat(path, &status) ? -1 : (int64_t)status.st_uid;
}

bool process_news_is_end(const siginfo_t *news)
{
	return news->si_code == CLD_EXITED || news->si_code == CLD_KILLED ||
	       news->si_code == CLD_DUMPED;
}

void process_program(const struct process *process, char *path, size_t size)
{
	char link[64];

	snprintf(link, sizeof link, "/proc/%d/exe", process->pid);
	ssize_t count = readlink(link, path, size - 1);

	path[count > 0 ? count : 0] = 0;
}

size_t process_arguments(const struct process *process, char *text, size_t size)
{
	ssize_t count = process_file(process, "cmdline", text, size);

	return count > 0 ? (size_t)count : 0;
}

size_t process_threads(const struct process *process, pid_t **lwps, size_t *capacity)
{
	char path[64];
	size_t count = 0;
	struct dirent *entry;

	snprintf(path, sizeof path, "/proc/%d/task", process->pid);
	DIR *directory = opendir(path);

	while (directory && (entry = readdir(directory)) && count < THREADS_MAX) {
		long lwp = strtol(entry->d_name, NULL, 10);

		if (lwp <= 0 || lwp > INT32_MAX)
			continue;
		*lwps = grow_array(*lwps, count, capacity, sizeof **lwps);
		(*lwps)[count++] = (pid_t)lwp;
	}
	if (directory)
		closedir(directory);
	return count;
}

/* Each of them is a folder, and those are counted as links. */
size_t process_thread_count(const struct process *process)
{
	char path[64];
	struct stat status;

	snprintf(path, sizeof path, "/proc/%d/task", process->pid);
	return stat(path, &status) || status.st_nlink < 2 ? 0 : status.st_nlink - 2;
}

/* What stands in brackets: the name may have some, too. */
static void copy_name(const char *text, const char *end, char name[NAME_MAX_BYTES])
{
	const char *first = memchr(text, '(', (size_t)(end - text));
	size_t size = first ? (size_t)(end - first - 1) : 0;

	if (size > NAME_MAX_BYTES - 1)
		size = NAME_MAX_BYTES - 1;
	if (size)
		memcpy(name, first + 1, size);
	name[size] = 0;
}

char process_thread_state_and_name(const struct process *process, pid_t lwp,
				   char name[NAME_MAX_BYTES])
{
	char text[STAT_BYTES];
	const char *end = read_stat_text(process, lwp, text);

	name[0] = 0;
	if (!end)
		return 0;
	copy_name(text, end, name);
	return end[2];
}

char process_thread_state(const struct process *process, pid_t lwp)
{
	char name[NAME_MAX_BYTES];

	return process_thread_state_and_name(process, lwp, name);
}

bool process_thread_runs(const struct process *process, pid_t lwp)
{
	return process_thread_state(process, lwp) == 'R';
}

bool process_schedule(const struct process *process, pid_t lwp, struct kept_files *kept,
		      uint64_t *on, uint64_t *delay)
{
	char text[96], *first, *second;

	if (thread_file(process, lwp, "schedstat", &kept->schedule, text, sizeof text) <= 0)
		return false;
	*on = strtoull(text, &first, 10);
	*delay = strtoull(first, &second, 10);
	return first != text && second != first;
}

/* The number, in hexadecimal six arguments if it is in a system call, the stack's pointer, and where it is. */
static enum call_state read_call(const char *text, struct system_call *call)
{
	uint64_t words[8];
	char *at, *end;
	int count = 0;

	*call = (struct system_call){.number = strtoll(text, &at, 10)};
	for (; at != text && count < 8; count++, at = end) {
		words[count] = strtoull(at, &end, 16);
		if (end == at)
			break;
	}
	if (count != 2 && count != 8)
		return CALL_GONE;
	if (count == 8)
		memcpy(call->arguments, words, sizeof call->arguments);
	call->sp = words[count - 2];
	call->pc = words[count - 1];
	return CALL_SLEEPS;
}

enum call_state process_call(const struct process *process, pid_t lwp, struct kept_files *kept,
			     struct system_call *call)
{
	char text[256];

	errno = 0;
	if (thread_file(process, lwp, "syscall", &kept->call, text, sizeof text) <= 0)
		return errno == EACCES || errno == EPERM ? CALL_REFUSED : CALL_GONE;
	if (strncmp(text, "running", 7) == 0)
		return CALL_RUNNING;
	return read_call(text, call);
}
