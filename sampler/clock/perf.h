/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock that disturbs least: the kernel's timer of each thread's time on a processor copies the registers and the
 * upper part of the stack, and notes when a thread gets the processor and loses it.
 */
#ifndef SAMPLER_PERF_H
#define SAMPLER_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "clock/ring.h"
#include "clock/sink.h"

/* Copied of the stack at first, and of threads of which that is too little. */
#define STACK_BYTES_FIRST 8192
#define STACK_BYTES_MOST 32768

struct perf_thread {
	pid_t lwp;
	uint32_t number; /* the sampler's own, which no other thread gets */
	uint32_t stack_bytes;
	bool begun;
	int *fds; /* one, or one for each processor */
	struct ring ring;
};

struct perf {
	bool kernel;      /* samples when the kernel is at work for the program too */
	bool shared;      /* a ring for each processor instead of one for each thread */
	bool has_dropped; /* threads, when they began to share rings: each needs more descriptors then */
	uint64_t period;     /* nanoseconds on a processor between two samples */
	double rate, drains; /* how often a second: at most, and the rings are emptied */
	int processors;
	struct perf_thread *threads;
	size_t count, capacity;
	size_t own_bytes;   /* of all threads' own rings */
	int most_fds;       /* that the clocks may have: others are needed, too */
	struct ring *rings; /* of processors */
	int *ring_fds;
	int told_by; /* tells which rings are being filled: an epoll */
	bool tells_of_all;
	struct records records;
};

enum perf_answer {
	PERF_OK,
	PERF_GONE,      /* the thread has ended */
	PERF_REFUSED,   /* errno says why */
	PERF_NO_MEMORY, /* more memory than a user may lock */
	PERF_NO_DESCRIPTORS
};

/* May it be used for this thread? Decides about kernel. */
enum perf_answer perf_init(struct perf *perf, pid_t lwp, double rate, double drains);
void perf_deinit(struct perf *perf);

enum perf_answer perf_add(struct perf *perf, pid_t lwp, uint32_t number, uint32_t stack_bytes);
void perf_remove(struct perf *perf, pid_t lwp);

/* The clocks of threads that have ended. true: there were such. */
bool perf_remove_ended(struct perf *perf, bool (*has_ended)(void *context, uint32_t number),
		       void *context);

/* Begins the clocks of threads that were added, all at once. */
void perf_begin(struct perf *perf);

/* Of new threads, and of those for which is_due holds, from now on, in phase. */
void perf_set_period(struct perf *perf, uint64_t period, bool (*is_due)(void *context, pid_t lwp),
		     void *context);

/* Until the moment, or until a signal has come; true: a ring has to be emptied before. */
bool perf_wait(const struct perf *perf, uint64_t until);

/* What has happened up to the moment `until'. Those of another process are left out. Where something was lost it has to be
 * found out at once what the threads do now: what the kernel says of it later is taken for known. */
void perf_drain(struct perf *perf, uint64_t until, pid_t pid, const struct sink *sink);

/* The same, of threads whose rings have to be emptied; none if they share them. */
void perf_drain_filling(struct perf *perf, uint64_t until, pid_t pid, const struct sink *sink);

#endif /* SAMPLER_PERF_H */
