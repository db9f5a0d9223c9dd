/* SPDX-License-Identifier: Apache-2.0
 *
 * What /proc tells of the process, without disturbing it.
 */
#ifndef SAMPLER_PROCESS_H
#define SAMPLER_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NAME_MAX_BYTES 64

/* More threads are not followed. */
#define THREADS_MAX 131072

struct process {
	pid_t pid;
	uint64_t
		started; /* in the kernel's ticks: another process with the same number has another */
};

bool process_init(struct process *process, pid_t pid); /* false: there is none */
/* Whose it is; -1: nobody's, it has ended. */
int64_t process_owner(const struct process *process);
bool process_lives(const struct process *process); /* false: gone, or only a zombie is left */

/* What waitid told: an end, not a stop. A tracer hears of stops whatever it asks for. */
bool process_news_is_end(const siginfo_t *news);

/* The file that it executes; "": not to be known. */
void process_program(const struct process *process, char *path, size_t size);

/* Its arguments, separated by NULs. Returns how many bytes. */
size_t process_arguments(const struct process *process, char *text, size_t size);

/* Its threads: lwps is made larger where necessary. Returns how many. */
size_t process_threads(const struct process *process, pid_t **lwps, size_t *capacity);
/* How many it has. */
size_t process_thread_count(const struct process *process);

/* The kernel's letter: 'R', 'S', 'T', ...; 0: it has ended. */
char process_thread_state(const struct process *process, pid_t lwp);
/* And its name, of the same file: "" if it has ended. */
char process_thread_state_and_name(const struct process *process, pid_t lwp,
				   char name[NAME_MAX_BYTES]);

/* Has it a processor, or wants one? */
bool process_thread_runs(const struct process *process, pid_t lwp);

/* A thread's files that are read again and again stay open: to open one takes several times as long as to read it.
 * Descriptors; 0: not open. */
struct kept_files {
	int call, schedule;
};
/* true: some were open. */
bool process_close_kept(struct kept_files *kept);

/* Since its birth: nanoseconds on a processor, and ready but without one. */
bool process_schedule(const struct process *process, pid_t lwp, struct kept_files *kept,
		      uint64_t *on, uint64_t *delay);

enum call_state { CALL_RUNNING, CALL_SLEEPS, CALL_REFUSED, CALL_GONE };

/* A sleeping thread's system call; number -1: none, it sleeps elsewhere in the kernel. */
struct system_call {
	int64_t number;
	uint64_t arguments[6];
	uint64_t sp, pc;
};
enum call_state process_call(const struct process *process, pid_t lwp, struct kept_files *kept,
			     struct system_call *call);

/* A file of /proc/PID: returns how many bytes, -1: not readable. */
ssize_t process_file(const struct process *process, const char *name, void *bytes, size_t size);

/* A number of /proc/PID/status; 0: it has none of that name. */
uint64_t process_status(const struct process *process, const char *name, int base);

#endif /* SAMPLER_PROCESS_H */
