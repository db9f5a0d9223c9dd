/* SPDX-License-Identifier: Apache-2.0
 *
 * libomp's structures as plain C: each is read from the target in one read of the bytes between its first
 * and its last member that we know.
 */
#ifndef RUNTIME_LLVM_STRUCTURES_H
#define RUNTIME_LLVM_STRUCTURES_H

#include <stdbool.h>

#include "runtime/llvm/members.h"
#include "target/target.h"

/* Where the members lie. Names are the runtime's. */
struct structures {
	struct {
		struct extent extent;
		struct span ds_thread, ds_tid, ds_gtid, th_team, th_current_task, th_in_pool;
		struct span state, wait_id, th_ident, th_teams_microtask;
	} info;
	struct {
		struct extent extent;
		struct span t_parent, t_nproc, t_level, t_active_level, t_master_tid, t_threads;
		struct span t_implicit_task_taskdata, t_pkfn, t_serialized, t_ident;
		struct span t_argc, t_argv;
		struct span t_cancel_request; /* far from the others: read by itself */
	} team;
	struct {
		struct extent extent;
		struct span td_flags, td_team, td_parent;
		struct span routine; /* in the kmp_task_t behind the kmp_taskdata_t */
		uint32_t size;
		uint32_t tasktype, final; /* masks in td_flags */
	} task;
	struct {
		struct span flags, psource;
	} ident;
};

/* kmp_info_t */
struct info {
	target_addr address;
	uint64_t ds_thread; /* the pthread id */
	int32_t ds_tid;     /* number in th_team */
	int32_t ds_gtid;    /* index into __kmp_threads */
	target_addr th_team;
	target_addr th_current_task;
	bool th_in_pool; /* false when not known */
	int32_t state;
	uint64_t wait_id;
	target_addr th_ident; /* 0: not known */
	/* No teams construct is around the thread. false also when that is not known. */
	bool outside_teams;
};

/* kmp_team_t */
struct team {
	target_addr address;
	target_addr t_parent;
	int32_t t_nproc;
	int32_t t_level;
	int32_t t_active_level;
	int32_t t_master_tid; /* number of thread 0 in t_parent */
	target_addr t_threads;
	target_addr t_implicit_task_taskdata;
	target_addr t_pkfn;
	int32_t t_serialized; /* -1: not known */
	target_addr t_ident;  /* 0: not known */
	int32_t t_argc;       /* -1: not known */
	target_addr t_argv;   /* 0: not known */
};

/* kmp_taskdata_t */
struct task {
	target_addr address;
	target_addr td_team;
	target_addr td_parent;
	bool explicit_task;
	bool final;
};

/* Lays out the structures by a table and, if not NULL, a record.
 * incompatible: members that are needed are missing or too far apart. */
ompd_rc_t structures_init(struct structures *ret, const uint64_t table[TABLE_WORDS],
			  const struct record *record);

/* error: unreadable. The contents are not judged here. */
ompd_rc_t info_read(const struct target *target, const struct structures *structures,
		    target_addr address, struct info *ret);
ompd_rc_t team_read(const struct target *target, const struct structures *structures,
		    target_addr address, struct team *ret);
ompd_rc_t task_read(const struct target *target, const struct structures *structures,
		    target_addr address, struct task *ret);

#endif /* RUNTIME_LLVM_STRUCTURES_H */
