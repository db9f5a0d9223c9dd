/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of libomp's barriers, in a thread's and in a team's structure. Known from the shipped records only.
 */
#ifndef RUNTIME_LLVM_BARRIER_STRUCTURES_H
#define RUNTIME_LLVM_BARRIER_STRUCTURES_H

#include "runtime/llvm/members.h"

/* enum barrier_type: for worksharing and explicit barriers, for the ends of regions, for reductions. Their
 * numbers are those of OMPDX_BARRIER_... */
#define BARRIER_COUNT 3

struct barrier_structures {
	struct extent thread_extent, team_extent;
	struct span b_go[BARRIER_COUNT];        /* in a kmp_info_t */
	struct span b_arrived[BARRIER_COUNT];   /* in a kmp_info_t */
	struct span t_b_arrived[BARRIER_COUNT]; /* in a kmp_team_t */
};

struct thread_barriers {
	uint64_t b_go[BARRIER_COUNT];
	uint64_t b_arrived[BARRIER_COUNT];
};

struct team_barriers {
	uint64_t b_arrived[BARRIER_COUNT];
};

/* Of a b_go: its thread sleeps until it is let go (kmp.h: KMP_BARRIER_SLEEP_STATE). */
#define BARRIER_SLEEPS UINT64_C(1)

/* A word without its two low bits, which are for sleeping (kmp.h: KMP_BARRIER_STATE_BUMP). */
static inline uint64_t barrier_step(uint64_t word)
{
	return word >> 2;
}

/* incompatible: the record does not tell. */
ompd_rc_t barrier_structures_init(struct barrier_structures *ret, const uint64_t table[TABLE_WORDS],
				  const struct record *record);

/* error: unreadable. */
ompd_rc_t thread_barriers_read(const struct target *target,
			       const struct barrier_structures *structures, target_addr info,
			       struct thread_barriers *ret);
ompd_rc_t team_barriers_read(const struct target *target,
			     const struct barrier_structures *structures, target_addr team,
			     struct team_barriers *ret);

#endif /* RUNTIME_LLVM_BARRIER_STRUCTURES_H */
