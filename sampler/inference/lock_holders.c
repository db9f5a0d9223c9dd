/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/lock_holders.h"

#include <stdlib.h>

#include "base/clocks.h"
#include "base/grow.h"

/* Who has not been met waiting for so long waits no more. */
#define WANTED_FOR SECOND

/* Most locks have no owner recorded, whenever they are looked at. */
#define IN_VAIN_MOST 8

/* A runtime may have very many locks, of which those in its table are all read: a five hundredth of a processor. */
#define PAUSE 500

void lock_holders_deinit(struct lock_holders *holders)
{
	free(holders->locks);
	*holders = (struct lock_holders){0};
}

void lock_holders_forget(struct lock_holders *holders)
{
	holders->count = 0;
}

static struct watched_lock *find(const struct lock_holders *holders, uint64_t address)
{
	for (size_t i = 0; i < holders->count; i++)
		if (holders->locks[i].address == address)
			return &holders->locks[i];
	return NULL;
}

/* Room for one more; NULL: all are wanted. */
static struct watched_lock *make_room(struct lock_holders *holders, uint64_t at)
{
	struct watched_lock *oldest = holders->locks;

	if (!holders->locks)
		holders->locks = take_memory(LOCKS_WATCHED_MAX, sizeof *holders->locks);
	if (holders->count < LOCKS_WATCHED_MAX)
		return &holders->locks[holders->count++];
	for (size_t i = 1; i < holders->count; i++)
		if (holders->locks[i].wanted_at < oldest->wanted_at)
			oldest = &holders->locks[i];
	return oldest->wanted_at + WANTED_FOR < at ? oldest : NULL;
}

void lock_holders_want(struct lock_holders *holders, uint64_t address, bool critical,
		       uint32_t runtime, uint64_t at)
{
	struct watched_lock *lock = find(holders, address);

	if (!lock) {
		lock = make_room(holders, at);
		if (!lock)
			return;
		*lock = (struct watched_lock){
			.address = address, .critical = critical, .runtime = runtime};
	}
	/* Threads are not told in the order of time. */
	if (at > lock->wanted_at)
		lock->wanted_at = at;
}

static bool is_wanted(const struct watched_lock *lock, uint32_t runtime, uint64_t at)
{
	return lock->runtime == runtime && lock->in_vain < IN_VAIN_MOST &&
	       lock->wanted_at + WANTED_FOR >= at;
}

static void see(struct watched_lock *lock, const ompdx_lock_t *seen, const uint32_t *threads,
		uint32_t count, uint64_t first, uint64_t last)
{
	if (seen->held != 1)
		return;
	if (seen->owner >= count) {
		lock->in_vain++;
		return;
	}
	lock->in_vain = 0;
	lock->sightings[lock->count++ % SIGHTINGS_MAX] =
		(struct sighting){first, last, threads[seen->owner]};
}

void lock_holders_look(struct lock_holders *holders, uint32_t runtime,
		       ompdx_snapshot_handle_t *snapshot, const uint32_t *threads, uint32_t count,
		       uint64_t at)
{
	ompdx_lock_variable_t variables[LOCKS_WATCHED_MAX];
	struct watched_lock *asked[LOCKS_WATCHED_MAX];
	const ompdx_locks_t *locks;
	uint32_t wanted = 0;

	for (size_t i = 0; i < holders->count && at >= holders->next; i++) {
		struct watched_lock *lock = &holders->locks[i];

		if (!is_wanted(lock, runtime, at))
			continue;
		asked[wanted] = lock;
		variables[wanted++] = (ompdx_lock_variable_t){.size = sizeof *variables,
							      .address = lock->address,
							      .critical = lock->critical};
	}
	if (!wanted || ompdx_snapshot_locks(snapshot, variables, wanted, &locks) != ompd_rc_ok)
		return;
	const uint64_t last = now();

	for (uint32_t i = 0; i < wanted && i < locks->variable_count; i++) {
		const uint32_t index =
			*(const uint32_t *)(const void *)((const char *)locks->variables +
							  (size_t)i * locks->variable_size);

		if (index < locks->lock_count)
			see(asked[i],
			    (const void *)((const char *)locks->locks +
					   (size_t)index * locks->locks->size),
			    threads, count, at, last);
	}
}

void lock_holders_looked(struct lock_holders *holders, uint64_t at, uint64_t cost)
{
	/* What is done once, such as looking for the table, is done the first time. */
	if (holders->looked)
		holders->next = at + PAUSE * cost;
	holders->looked |= holders->count != 0;
}

uint32_t lock_holder(const struct lock_holders *holders, uint64_t address, uint64_t from,
		     uint64_t reach, uint64_t *until)
{
	const struct watched_lock *lock = find(holders, address);
	const uint64_t count = lock ? lock->count : 0;

	for (uint64_t i = count > SIGHTINGS_MAX ? count - SIGHTINGS_MAX : 0; i < count; i++) {
		const struct sighting *one = &lock->sightings[i % SIGHTINGS_MAX];
		const struct sighting *next = &lock->sightings[(i + 1) % SIGHTINGS_MAX];
		const uint64_t begins = one->last - reach;
		uint64_t ends = one->first + reach;

		if (i + 1 < count && next->last - reach < ends)
			ends = next->last - reach;
		if (ends <= from || ends <= begins)
			continue;
		if (begins > from) {
			if (begins < *until)
				*until = begins;
			return NONE;
		}
		if (ends < *until)
			*until = ends;
		return one->holder;
	}
	return NONE;
}
