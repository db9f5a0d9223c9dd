/* SPDX-License-Identifier: Apache-2.0
 *
 * What a piece of a thread's time is called in the record: the sample that tells it, and what pictures of the runtime
 * near to it add.
 */
#ifndef SAMPLER_SETTLE_H
#define SAMPLER_SETTLE_H

#include "record/user_stack.h"

/* What a sample was called last: it tells many pieces, and in between lie those of another. */
struct settled {
	struct activity activity;
	uint64_t sampled_at;
	uint32_t thread, told; /* NONE: none yet */
};

struct settling {
	struct user_stacks stacks;
	const struct lock_holders *locks;
	uint64_t sample_reach; /* half the time between two samples */
	bool kernel_samples;
	bool knows_on;                         /* the clock tells time on a processor from sleep */
	bool has_runtime;                      /* a runtime is in the process */
	bool looked;                           /* for runtimes, since what is mapped has changed */
	struct settled last[PIECE_ASLEEP + 1]; /* by kind of piece */
};

/* From here on all is settled with what is known now. */
void settle_begin(struct settling *settling);

/* Then who holds it may change. */
bool settle_waits_for_lock(const struct settling *settling, const struct piece *piece);

/* The piece's beginning, with one holder of the lock that is waited for, if it is for one: NONE: not recorded. */
uint32_t settle_holder(const struct settling *settling, const struct thread *thread,
		       const struct piece *piece, uint64_t *until);

/* The number of the activity; NONE: the table is full. */
uint32_t settle(struct settling *settling, struct thread *thread, const struct piece *piece,
		uint32_t holder);

#endif /* SAMPLER_SETTLE_H */
