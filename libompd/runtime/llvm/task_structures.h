/* SPDX-License-Identifier: Apache-2.0
 *
 * libomp's structures of explicit tasks as plain C: the task, the queues of a team, the dependences. All
 * but the first members of kmp_taskdata_t are known from the shipped records only.
 */
#ifndef RUNTIME_LLVM_TASK_STRUCTURES_H
#define RUNTIME_LLVM_TASK_STRUCTURES_H

#include "runtime/llvm/members.h"

/* Where the members lie. Names are the runtime's. */
struct task_structures {
	struct {
		struct extent extent;
		struct span td_flags, td_team, td_parent, td_alloc_thread, td_ident;
		struct span td_taskwait_ident, td_taskwait_thread, td_incomplete_child_tasks;
		struct span td_taskgroup, td_depnode, event_task;
		uint32_t size;
		/* masks in td_flags */
		uint32_t tiedness, final, tasktype, task_serial, tasking_ser, team_serial;
		uint32_t started, complete, freed, proxy, priority_specified, detachable;
	} taskdata;
	struct {
		struct extent extent;
		struct span routine, data2;
	} task;
	struct span team_task_teams; /* t_task_team[2] */
	struct {
		struct span task_team, next;
	} task_team_list; /* what t_task_team is in a team of one thread, since release 19 */
	struct {
		struct extent extent;
		struct span tt_threads_data, tt_max_threads, tt_task_pri_list;
	} task_team;
	struct {
		struct extent extent;
		struct span td_deque, td_deque_size, td_deque_head, td_deque_ntasks;
		uint32_t size; /* of the array's elements */
	} deque;
	struct span priority_next; /* kmp_task_pri_t begins with the deque's structure */
	struct {
		struct extent extent;
		struct span successors, task, npredecessors;
	} depnode;
	struct {
		struct extent extent;
		struct span node, next;
	} depnode_list;
	struct span taskgroup_count, taskgroup_cancelled;
};

/* kmp_taskdata_t and, of an explicit task, the kmp_task_t behind it */
struct task_data {
	target_addr address;
	target_addr td_team;
	target_addr td_parent;
	target_addr td_alloc_thread;
	target_addr td_ident;
	target_addr td_taskwait_ident; /* of the taskwait that it is in, or was in last */
	int32_t td_taskwait_thread;    /* > 0: in a taskwait now */
	int32_t td_incomplete_child_tasks;
	target_addr td_taskgroup;
	target_addr td_depnode;
	bool tied, final, explicit_task, undeferred, started, complete, freed, detached;
	bool has_event; /* it points to this task */
	target_addr routine;
	int32_t priority; /* -1: not given */
};

/* kmp_base_task_team_t */
struct task_team {
	target_addr tt_threads_data;
	int32_t tt_max_threads;
	target_addr tt_task_pri_list;
};

/* The queue in a kmp_base_thread_data_t: td_deque is a ring of td_deque_size pointers. */
struct deque {
	target_addr td_deque;
	int32_t td_deque_size;
	uint32_t td_deque_head;
	int32_t td_deque_ntasks;
};

/* kmp_base_depnode_t */
struct depnode {
	target_addr successors;
	target_addr task; /* the kmp_task_t; 0: it has completed */
	int32_t npredecessors;
};

/* incompatible: the record does not tell; then nothing of explicit tasks can be read. */
ompd_rc_t task_structures_init(struct task_structures *ret, const uint64_t table[TABLE_WORDS],
			       const struct record *record);

/* error: unreadable. The contents are not judged here. */
ompd_rc_t task_data_read(const struct target *target, const struct task_structures *structures,
			 target_addr address, struct task_data *ret);
ompd_rc_t task_team_read(const struct target *target, const struct task_structures *structures,
			 target_addr address, struct task_team *ret);
ompd_rc_t deque_read(const struct target *target, const struct task_structures *structures,
		     target_addr address, struct deque *ret);
ompd_rc_t depnode_read(const struct target *target, const struct task_structures *structures,
		       target_addr address, struct depnode *ret);
ompd_rc_t depnode_list_read(const struct target *target, const struct task_structures *structures,
			    target_addr address, target_addr *node, target_addr *next);

#endif /* RUNTIME_LLVM_TASK_STRUCTURES_H */
