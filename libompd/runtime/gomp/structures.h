/* SPDX-License-Identifier: Apache-2.0
 *
 * libgomp's structures as plain C, each read from the target in one read. Names are the runtime's.
 */
#ifndef RUNTIME_GOMP_STRUCTURES_H
#define RUNTIME_GOMP_STRUCTURES_H

#include <stdbool.h>

#include "runtime/gomp/records.h"
#include "target/target.h"

/* Where a thread stands: in a team, or with team 0 in none. */
struct gomp_team_state {
	target_addr team;
	target_addr work_share, last_work_share;
	int32_t team_id; /* the thread's number */
	int32_t level;
	int32_t active_level;
	uint32_t place_partition_off, place_partition_len;
	uint64_t def_allocator; /* 0: none of its own */
	int64_t static_trip;    /* of a static loop: how many chunks it has got; -1: the last */
};

/* A thread's own, in its thread-local storage. */
struct gomp_thread {
	target_addr address;
	bool blank;     /* all zero: the runtime has never met this thread, or has just made it */
	target_addr fn; /* of a worker: what it is to execute, and has not begun */
	struct gomp_team_state ts;
	target_addr task;
	uint32_t place;
	target_addr thread_pool;
	uint32_t num_teams, team_num; /* of a league its size - 1; since 12 */
};

struct gomp_barrier {
	uint32_t total;
	uint32_t generation;
	uint32_t awaited;
	uint32_t awaited_final;
};

struct gomp_team {
	target_addr address;
	int32_t nthreads;
	struct gomp_team_state prev_ts; /* where thread 0 was before */
	target_addr ordered_release;
	struct gomp_barrier barrier;
	uint32_t task_count, task_queued_count;
	bool work_share_cancelled, team_cancelled;
};

enum gomp_schedule_type {
	GFS_STATIC = 1,
	GFS_DYNAMIC = 2,
	GFS_GUIDED = 3,
};
#define GFS_MONOTONIC UINT32_C(0x80000000) /* a flag */

/* What a team shares of a worksharing construct. Numbers are the program's, signed or not. */
struct gomp_work_share {
	uint32_t sched;
	int64_t chunk_size; /* of GFS_DYNAMIC: times incr */
	int64_t end, incr, next;
	target_addr ordered_team_ids, doacross; /* one of them, in the same place */
	uint32_t ordered_num_used, ordered_cur;
	uint32_t threads_completed;
};

/* What a doacross loop's work share leads to: an entry for each thread of a static schedule, else for each chunk, with
 * the number behind the iteration that was posted last. */
struct gomp_doacross_work_share {
	target_addr address;
	uint64_t
		chunk_size; /* of a static schedule without chunks: what each of the last threads gets */
	uint64_t elt_sz;
	uint32_t ncounts;
	bool flattened;       /* one number is made of all of an iteration's */
	target_addr array;    /* 0: nobody waits */
	uint64_t t, boundary; /* the first t threads get one more each, up to this iteration */
};

enum gomp_task_kind {
	GOMP_TASK_IMPLICIT,
	GOMP_TASK_UNDEFERRED,
	GOMP_TASK_WAITING,
	GOMP_TASK_TIED, /* a thread executes it */
	GOMP_TASK_ASYNC_RUNNING,
	GOMP_TASK_DETACHED,
};

struct gomp_task {
	target_addr address;
	target_addr parent;
	target_addr taskgroup;
	target_addr dependers;
	target_addr taskwait;
	uint64_t num_dependees;
	int32_t priority;
	target_addr fn;
	uint32_t kind; /* enum gomp_task_kind */
	bool in_tied_task;
	bool final_task;
};

struct gomp_thread_pool {
	target_addr threads; /* of pointers to gomp_thread; thread 0 is whose pool it is */
	uint32_t threads_size, threads_used;
	struct gomp_barrier threads_dock;
};

/* error: unreadable. The contents are not judged here. */
ompd_rc_t gomp_thread_read(const struct target *target, const struct record *record,
			   target_addr address, struct gomp_thread *ret);
ompd_rc_t gomp_team_read(const struct target *target, const struct record *record,
			 target_addr address, struct gomp_team *ret);
ompd_rc_t gomp_work_share_read(const struct target *target, const struct record *record,
			       target_addr address, struct gomp_work_share *ret);
ompd_rc_t gomp_doacross_read(const struct target *target, const struct record *record,
			     target_addr address, struct gomp_doacross_work_share *ret);
ompd_rc_t gomp_task_read(const struct target *target, const struct record *record,
			 target_addr address, struct gomp_task *ret);
ompd_rc_t gomp_thread_pool_read(const struct target *target, const struct record *record,
				target_addr address, struct gomp_thread_pool *ret);

/* Whether it is a team: by what libgomp never changes in one. A docked thread's may have been freed. */
bool gomp_team_proven(const struct record *record, const struct gomp_team *team);

/* Of the implicit task of a number. */
target_addr gomp_implicit_task(const struct record *record, target_addr team, int32_t number);

#endif /* RUNTIME_GOMP_STRUCTURES_H */
