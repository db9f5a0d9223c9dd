/* SPDX-License-Identifier: Apache-2.0
 *
 * One process that is sampled: all that is known of it, and what a clock's news change of that.
 */
#ifndef SAMPLER_SESSION_H
#define SAMPLER_SESSION_H

#include "clock/perf.h"
#include "clock/sink.h"
#include "inference/frame_pointer.h"
#include "inference/leaf_caller.h"
#include "inference/pictures.h"
#include "inference/tellings.h"
#include "python/stacks.h"
#include "record/record.h"
#include "run/options.h"
#include "target/settings.h"
#include "threads/thread.h"
#include "unwind/unwind.h"

/* How far back a look at a thread tells that is not sampled by its time on a processor, in passes. */
#define REACH_SLEEP 8

struct session {
	struct options options;
	struct settings settings;
	struct process process;
	struct memory memory;
	struct images images;
	struct python python;
	struct codes codes;
	struct tellings tellings;
	struct leaf_callers leaf_callers;
	struct frame_pointers frame_pointers;
	struct unwinder *unwinder;
	struct threads threads;
	struct pictures pictures;
	struct record record;
	struct record_way way;
	struct perf perf;
	enum clock_kind clock;
	double rate, view_rate;
	uint64_t period; /* of samples */
	uint64_t period_set_at;
	uint64_t tick;              /* between two passes */
	uint32_t sleeper_turns;     /* passes in which each thread that sleeps has been looked at */
	uint32_t sleeper_turn;      /* which one of the living is next */
	uint64_t sleeper_processor; /* our time for them */
	bool threads_void;          /* some have begun that no clock has told of, perhaps */
	bool begun; /* the record: an exec before was that of the program that we start */
	bool images_void, executed, has_noted_lost, has_noted_full;
	enum perf_answer why_full;
	bool has_left_out; /* the record says that threads have no clock */
	bool is_full;      /* no clock more could be had, and none has been given back since */
	pid_t *born;       /* since the last listing */
	size_t born_count, born_capacity;
	uint64_t unseen; /* threads that were gone before they were listed */
	uint32_t turn;   /* which thread without a clock is next */
	uint64_t samples, lost, cut, stacks;
	uint64_t sample_processor; /* our time for all of them */
};

/* The process is there. Finds out what is allowed, and decides how it is sampled; ends the sampler if nothing is. */
void session_open(struct session *session, const struct options *options, pid_t pid, int fd);
/* The record's first line: of a program that we start, when it has begun. */
void session_begin(struct session *session);
/* What has to be said at its end: of how many threads it does not tell, and why. */
void session_note_missing(struct session *session);
void session_close(struct session *session);

/* As many passes as it may take until a sleep is looked at. */
#define SLEEPER_TURNS_MOST 20

struct sink session_sink(struct session *session);

/* What is mapped is read anew if it has changed, runtimes are found. */
void session_refresh_images(struct session *session);

/* The same, and new threads get a clock. */
void session_refresh(struct session *session);

/* Pictures look whose the lock is that the thread waits for, if it is for one. */
void session_want_lock(struct session *session, const struct thread *thread, uint64_t at,
		       uint32_t told);

/* What a telling adds to what is known of regions and of locks that are waited for, and a stack to the sums. */
void session_learn(struct session *session, struct thread *thread, uint64_t at, uint32_t told);
void session_count_stack(struct session *session, struct thread *thread,
			 const struct frames *frames);

/* What threads do of which the kernel's notes were lost, until the next one comes. */
void session_guess_anew(struct session *session);

/* Threads without a clock: how long they were on a processor, as the kernel counts it. Some of them in turn. */
void session_spread_left_out(struct session *session, uint64_t at);

/* Of many threads not all are looked at in each pass, from the beginning on. */
void session_begin_looks(struct session *session);

/* Why it sleeps, of threads that do and of which that is not known yet: run/sleepers.c. */
void session_look_at_sleepers(struct session *session, uint64_t at);

/* What a stack of a thread tells, in the middle of its work. */
void session_sample(struct session *session, struct thread *thread, const struct sample *sample);

/* What a compiler recorded of a region. */
void session_learn_source(void *session, uint64_t function, bool league, const char *source);

/* A sample that nobody's code tells: by the last picture alone. */
void session_sample_by_memory(struct session *session, struct thread *thread, uint64_t at);

#endif /* SAMPLER_SESSION_H */
