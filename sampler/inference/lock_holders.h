/* SPDX-License-Identifier: Apache-2.0
 *
 * Who holds the locks that threads are met waiting for, where the runtime itself records that: looked at with each picture.
 */
#ifndef SAMPLER_LOCK_HOLDERS_H
#define SAMPLER_LOCK_HOLDERS_H

#include <ompd-ext.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"

/* Locks that are looked at, and moments of each that are kept: of some seconds. */
#define LOCKS_WATCHED_MAX 64
#define SIGHTINGS_MAX 256

struct sighting {
	uint64_t first, last; /* at a moment between these: who reads may lose the processor */
	uint32_t holder;      /* a thread's number */
};

struct watched_lock {
	uint64_t address;
	uint32_t runtime; /* its number */
	bool critical;
	uint64_t wanted_at; /* when a thread was last met waiting for it */
	uint32_t in_vain;   /* so often it was held, and by whom was not recorded */
	uint64_t count;     /* of sightings; the oldest make room */
	struct sighting sightings[SIGHTINGS_MAX];
};

struct lock_holders {
	struct watched_lock *locks;
	size_t count;
	bool looked;   /* once at least */
	uint64_t next; /* not before: looking takes long */
};

void lock_holders_deinit(struct lock_holders *holders);
void lock_holders_forget(struct lock_holders *holders);

/* A thread of the runtime's waits for it. */
void lock_holders_want(struct lock_holders *holders, uint64_t address, bool critical,
		       uint32_t runtime, uint64_t at);

/* In a picture of the runtime's, which was begun at that moment. threads: the numbers of the threads in it. */
void lock_holders_look(struct lock_holders *holders, uint32_t runtime,
		       ompdx_snapshot_handle_t *snapshot, const uint32_t *threads, uint32_t count,
		       uint64_t at);

/* All runtimes have been asked. cost: of our time on a processor. */
void lock_holders_looked(struct lock_holders *holders, uint64_t at, uint64_t cost);

/* From the moment on, up to *until (at most what it is set to): who held it; NONE: not recorded. A sighting tells so much
 * time before and after it. */
uint32_t lock_holder(const struct lock_holders *holders, uint64_t address, uint64_t from,
		     uint64_t reach, uint64_t *until);

#endif /* SAMPLER_LOCK_HOLDERS_H */
