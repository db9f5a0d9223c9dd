/* SPDX-License-Identifier: Apache-2.0
 *
 * What libomp records of a loop that it schedules itself: a kmp_disp_t for each thread of a team, which leads
 * to the thread's own part (dispatch_private_info_t) and the one that the team shares
 * (dispatch_shared_info_t). Known from the shipped records only.
 */
#ifndef RUNTIME_LLVM_LOOP_STRUCTURES_H
#define RUNTIME_LLVM_LOOP_STRUCTURES_H

#include <stdbool.h>

#include "runtime/llvm/members.h"

/* Numbers of iterations are of 4 or of 8 bytes, as the program's loop variable is. */
enum { LOOP_WORDS_4, LOOP_WORDS_8, LOOP_WORDS };

struct loop_structures {
	struct {
		struct extent extent;
		struct span t_dispatch, t_disp_buffer;
	} team;
	struct {
		struct extent extent;
		struct span th_dispatch_sh_current, th_dispatch_pr_current, th_disp_buffer;
		struct span th_disp_index;
		/* size 0: not known */
		struct span th_doacross_buf_idx, th_doacross_flags, th_doacross_info;
		uint32_t size;
	} disp;
	struct {
		struct extent extent;
		struct {
			struct span count, ub, lb, st, tc, parm1, ordered_lower, ordered_upper;
		} words[LOOP_WORDS];
		struct span schedule, flags, type_size;
	} private_info;
	struct {
		struct extent extent;
		struct {
			struct span iteration, ordered_iteration;
		} words[LOOP_WORDS];
		struct span buffer_index;
	} shared_info;
	uint32_t ordered, nomerge, use_hier,
		use_hybrid; /* masks in flags; 0: the release has no such flag */
};

/* Where a team keeps its threads' kmp_disp_t and the buffers that they share. */
struct team_loops {
	target_addr t_dispatch, t_disp_buffer;
};

/* kmp_disp_t */
struct dispatch {
	target_addr th_dispatch_sh_current, th_dispatch_pr_current, th_disp_buffer;
	uint32_t th_disp_index;
	/* Of doacross loops: how many the thread has begun, and of the one that it is in whether each iteration was
	 * posted, and the bounds; 0: in none. */
	uint32_t th_doacross_buf_idx;
	target_addr th_doacross_flags, th_doacross_info;
};

/* Both parts of a loop. Words of 4 bytes are zero-extended: whether the program's type has a sign is not
 * recorded. */
struct loop {
	unsigned width; /* 4 or 8 */
	uint32_t schedule;
	bool ordered, nomerge, use_hier, use_hybrid;
	uint64_t count, ub, lb, st, tc, parm1, ordered_lower, ordered_upper;
	uint64_t iteration, ordered_iteration;
	uint32_t buffer_index;
};

/* incompatible: the record does not tell. */
ompd_rc_t loop_structures_init(struct loop_structures *ret, const uint64_t table[TABLE_WORDS],
			       const struct record *record);

/* error: unreadable. */
ompd_rc_t team_loops_read(const struct target *target, const struct loop_structures *structures,
			  target_addr team, struct team_loops *ret);
ompd_rc_t dispatch_read(const struct target *target, const struct loop_structures *structures,
			target_addr address, struct dispatch *ret);
/* Also incompatible: it is no loop, by the size of its words. */
ompd_rc_t loop_read(const struct target *target, const struct loop_structures *structures,
		    const struct dispatch *dispatch, struct loop *ret);

#endif /* RUNTIME_LLVM_LOOP_STRUCTURES_H */
