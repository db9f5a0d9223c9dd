/* SPDX-License-Identifier: Apache-2.0
 *
 * What libomp keeps for OMPT, as plain C: task and team information, also of the lightweight teams that
 * stand for the outer ones of nested serialized regions.
 */
#ifndef RUNTIME_LLVM_OMPT_STRUCTURES_H
#define RUNTIME_LLVM_OMPT_STRUCTURES_H

#include "runtime/llvm/members.h"

/* Where the members lie. Names are the runtime's. */
struct ompt_structures {
	struct {
		struct extent extent;
		struct span exit_frame, enter_frame, exit_frame_flags, enter_frame_flags;
		struct span scheduling_parent, task_data;
	} task_info;
	/* Where an ompt_task_info_t lies in a kmp_taskdata_t, and in an ompt_lw_taskteam_t. */
	struct span in_task, in_lightweight;
	struct span thread_data;               /* in kmp_info_t */
	struct span parallel_data;             /* in kmp_team_t */
	struct span ompt_serialized_team_info; /* in kmp_team_t: the innermost lightweight team */
	struct span lightweight_parent;        /* in ompt_lw_taskteam_t */
	struct span lightweight_parallel_data; /* in ompt_lw_taskteam_t */
};

/* ompt_task_info_t */
struct ompt_task_info {
	target_addr exit_frame, enter_frame;
	bool flags_known; /* libomp 14 leaves them unset in some frames: any value is possible */
	uint32_t exit_frame_flags, enter_frame_flags;
	target_addr scheduling_parent;
	uint64_t task_data;
};

/* What is not known, of the table or without a record, cannot be read. */
void ompt_structures_init(struct ompt_structures *ret, const uint64_t table[TABLE_WORDS],
			  const struct record *record);

/* The task information in the structure of which `inside` is that member. error: unreadable. */
ompd_rc_t ompt_task_info_read(const struct target *target, const struct ompt_structures *structures,
			      target_addr address, struct span inside, struct ompt_task_info *ret);

#endif /* RUNTIME_LLVM_OMPT_STRUCTURES_H */
