/* SPDX-License-Identifier: Apache-2.0
 *
 * What of a thread's past has to be remembered until its neighbours' is known: where pictures of the runtime showed it,
 * and by which path it has begun regions.
 */
#ifndef SAMPLER_HISTORY_H
#define SAMPLER_HISTORY_H

#include <ompd-ext.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"

enum where_seen { SEEN_NOT, SEEN_IDLE, SEEN_AT_END, SEEN_INSIDE };

struct seen {
	uint64_t time;
	enum where_seen where;
	uint32_t team; /* the number of the thread that began the innermost team; NONE */
	int32_t thread_num, level;
	uint64_t region; /* where its code begins; 0 */
};

struct forked {
	uint64_t time;
	uint32_t told; /* what its stack told then */
};

struct history {
	struct seen *seen;
	uint64_t seen_count,
		seen_room; /* put in, the oldest of them taken out; and how many there may be */
	struct forked *forked;
	uint64_t forked_count, forked_room;
};

void history_deinit(struct history *history);
void history_see(struct history *history, struct seen seen);
void history_fork(struct history *history, uint64_t time, uint32_t told);

/* The picture nearest to the moment among those in which it was there, as a bit mask of enum where_seen says; NULL. */
const struct seen *history_nearest(const struct history *history, uint64_t time, unsigned where);

/* The moment nearest to it at which it was in a region that it had begun; NULL: none for which `is' holds. */
const struct forked *history_nearest_fork(const struct history *history, uint64_t time,
					  bool (*is)(const void *context, uint32_t told),
					  const void *context);

/* The moments next to it, before and behind, at which it was in a region that it had begun; NULL: none. */
void history_forks_around(const struct history *history, uint64_t time,
			  const struct forked *around[2]);

#endif /* SAMPLER_HISTORY_H */
