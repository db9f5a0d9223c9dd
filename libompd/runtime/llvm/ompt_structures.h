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
	/* From the address of a kmp_taskdata_t, and of an ompt_lw_taskteam_t. */
	struct ompt_task_layout {
		struct extent extent;
		struct span exit_frame, enter_frame, exit_frame_flags, enter_frame_flags;
		struct span scheduling_parent, task_data;
		struct span td_flags, td_team; /* of a task only */
	} task, lightweight_task;
	struct span thread_data;               /* in kmp_info_t */
	struct span parallel_data;             /* in kmp_team_t */
	struct span ompt_serialized_team_info; /* in kmp_team_t: the innermost lightweight team */
	struct span lightweight_parent;        /* in ompt_lw_taskteam_t */
	struct span lightweight_parallel_data; /* in ompt_lw_taskteam_t */
};

/* ompt_task_info_t, and the task's own flags and team, which a lightweight team does not have */
struct ompt_task {
	target_addr exit_frame, enter_frame;
	bool flags_known; /* libomp 14 leaves them unset in some frames: any value is possible */
	uint32_t exit_frame_flags, enter_frame_flags;
	target_addr scheduling_parent;
	uint64_t task_data;
	uint64_t td_flags;
	target_addr td_team;
};

/* What is not known, of the table or without a record, cannot be read. */
void ompt_structures_init(struct ompt_structures *ret, const uint64_t table[TABLE_WORDS],
			  const struct record *record);

/* Of a kmp_taskdata_t, and of an ompt_lw_taskteam_t, from which *ret's flags and team stay. error:
 * unreadable, or not known. */
ompd_rc_t ompt_task_read(const struct target *target, const struct ompt_structures *structures,
			 target_addr task, struct ompt_task *ret);
ompd_rc_t ompt_task_info_read(const struct target *target, const struct ompt_structures *structures,
			      target_addr lightweight, struct ompt_task *ret);

#endif /* RUNTIME_LLVM_OMPT_STRUCTURES_H */
