/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of the process, those that have ended too: each has a number that no other gets.
 */
#ifndef SAMPLER_THREAD_H
#define SAMPLER_THREAD_H

#include <ompd-ext.h>
#include <stdbool.h>

#include "target/process.h"
#include "threads/history.h"
#include "threads/known_stack.h"
#include "threads/timeline.h"

struct thread {
	uint32_t number;
	pid_t lwp;
	char name[NAME_MAX_BYTES];
	struct kept_files files;
	struct known_stack stack; /* that it slept with */
	uint64_t born, gone;      /* moments; gone 0: not yet */
	bool sampled;             /* by a clock of its own */
	bool begins;              /* its clock does */
	bool listed;              /* in the last list of threads */
	bool gone_told, told;     /* in the record; false again when something of it has changed */
	/* By pictures of the runtime: */
	uint32_t runtime; /* NONE: no picture shows it as a runtime's */
	ompdx_thread_kind_t kind;
	int32_t runtime_id;
	uint64_t pthread; /* its id, as long as it lives; 0: not known */
	bool seen;        /* a picture told whether it is one of a runtime's */
	uint32_t native;  /* its place in the last picture */
	struct history history;
	struct timeline timeline;
	/* Where its last activity was, for the time until it has a processor again. */
	uint32_t last_region, last_team;
	int32_t last_level, last_thread_num;
	uint32_t last_told; /* by its last sample; NONE */
	uint64_t last_sample;
	uint64_t period, period_before; /* of its samples, and until its clock was set last */
	uint64_t clock_set_at;
	uint32_t stack_bytes; /* that a sample copies */
	bool missed_look;     /* it was awake when it was its turn */
	/* Sums */
	uint64_t samples, asleep_samples, lost, cut, beyond;
	uint64_t schedule_on, schedule_delay; /* since it was first seen */
	uint64_t schedule_on_before,
		schedule_delay_before;    /* what the kernel had counted by then */
	uint64_t spread_on, spread_delay; /* of it, what is in the timeline */
	bool schedule_known;
	/* For threads/counted.h: */
	bool was_given_one;                /* a processor, since the kernel's count was read */
	bool is_counted;                   /* it has been read, and is not settled */
	int64_t on_nowhere, delay_nowhere; /* of it, what the timeline has no place for */
	uint64_t lost_before;              /* of the timeline, when it was looked at last */
};

struct threads {
	struct thread **all; /* by number */
	uint32_t count;
	size_t capacity;
	uint32_t *living; /* numbers */
	uint32_t living_count;
	size_t living_capacity;
	uint32_t turn; /* which one is looked at next where it is done in turn */
	pid_t *lwps;
	size_t lwp_capacity;
	uint32_t *slots; /* by lwp, of those that live: number + 1 */
	size_t slot_count;
};

void threads_init(struct threads *threads);
void threads_deinit(struct threads *threads);

/* NULL: none that lives has this number. */
struct thread *thread_by_lwp(const struct threads *threads, pid_t lwp);

/* Lists them anew. Returns how many are new: the last of all. Those that are not there any more have ended `at'. */
uint32_t threads_refresh(struct threads *threads, const struct process *process, uint64_t at);

/* It goes on as it does, up to the moment. */
void thread_fill(struct thread *thread, uint64_t at);

/* It has ended: another one may get its lwp. It stays among those that live until they are told apart. */
void thread_end(struct thread *thread, uint64_t at);
void threads_drop_ended(struct threads *threads);

/* Their files that were kept open: true: there were some. */
bool threads_close_kept(struct threads *threads);

/* What the kernel has counted for it until now. */
void thread_read_schedule(struct thread *thread, const struct process *process);

/* The same since its timeline's last moment: how long it was on a processor, and wanted one; when, is not known: first,
 * say. */
void thread_spread_schedule(struct thread *thread, const struct process *process, uint64_t at);

#endif /* SAMPLER_THREAD_H */
