/* SPDX-License-Identifier: Apache-2.0
 *
 * libomp's structures that hold ICVs, as plain C.
 */
#ifndef RUNTIME_LLVM_ICV_STRUCTURES_H
#define RUNTIME_LLVM_ICV_STRUCTURES_H

#include "runtime/llvm/members.h"

/* An array of ints with its length: kmp_nested_nthreads_t, kmp_nested_proc_bind_t. */
struct nested_list {
	struct extent extent;
	struct span items, used;
};

/* Where the members lie. Names are the runtime's. */
struct icv_structures {
	struct {
		struct extent extent; /* from the kmp_taskdata_t's address */
		struct span dynamic, nproc, thread_limit, task_thread_limit, max_active_levels;
		struct span r_sched_type, chunk, proc_bind, default_device;
	} task;
	struct nested_list nested_nth, nested_proc_bind;
	struct span t_nested_nth;                                    /* in kmp_team_t */
	struct span th_def_allocator, th_first_place, th_last_place; /* in kmp_info_t */
};

/* The ICVs that each task has of its own: kmp_internal_control_t. */
struct task_icvs {
	bool dynamic;
	int32_t nproc;
	int32_t thread_limit;
	int32_t task_thread_limit; /* 0: none */
	int32_t max_active_levels;
	uint32_t r_sched_type;
	int32_t chunk;
	int32_t proc_bind;
	int32_t default_device;
};

/* What is not known, of the table or without a record, cannot be read. */
void icv_structures_init(struct icv_structures *ret, const uint64_t table[TABLE_WORDS],
			 const struct record *record);

/* error: unreadable, or not known. The contents are not judged here. */
ompd_rc_t task_icvs_read(const struct target *target, const struct icv_structures *structures,
			 target_addr task, struct task_icvs *ret);
ompd_rc_t nested_list_read(const struct target *target, const struct nested_list *list,
			   target_addr address, target_addr *items, int32_t *used);

#endif /* RUNTIME_LLVM_ICV_STRUCTURES_H */
