/* SPDX-License-Identifier: Apache-2.0 */
#include "threads/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/clocks.h"
#include "base/grow.h"
#include "base/search.h"

#define ROOM_FIRST 64
#define ROOM_MOST 16384
/* Moments that are looked at for one of a region: one that was so long ago tells nothing. */
#define SEARCH_MOST 1024

/* What is settled is younger, unless the sampler has been kept from it. */
#define KEPT_FOR (4 * SECOND)

void history_deinit(struct history *history)
{
	free(history->seen);
	free(history->forked);
	*history = (struct history){0};
}

static uint64_t kept(uint64_t count, uint64_t room)
{
	return count < room ? count : room;
}

/* A ring of so many things, of which `count' have been put in, with room for one more: in the place of the oldest, if that
 * is old enough. */
static void *with_room(void *ring, size_t size, uint64_t *room, uint64_t *count, bool oldest_is_old)
{
	if (*count < *room || (*room && oldest_is_old) || *room >= ROOM_MOST)
		return ring;
	const uint64_t more = *room ? *room * 2 : ROOM_FIRST;
	uint8_t *wider = take_memory(more, size);

	for (uint64_t i = 0; i < *room; i++)
		memcpy(wider + i * size, (uint8_t *)ring + (*count + i) % *room * size, size);
	free(ring);
	*count = *room;
	*room = more;
	return wider;
}

static bool is_old(uint64_t oldest, uint64_t now)
{
	return now > oldest && now - oldest > KEPT_FOR;
}

void history_see(struct history *history, struct seen seen)
{
	const bool old =
		history->seen_room &&
		is_old(history->seen[history->seen_count % history->seen_room].time, seen.time);

	history->seen = with_room(history->seen, sizeof *history->seen, &history->seen_room,
				  &history->seen_count, old);
	history->seen[history->seen_count++ % history->seen_room] = seen;
}

void history_fork(struct history *history, uint64_t time, uint32_t told)
{
	const bool old =
		history->forked_room &&
		is_old(history->forked[history->forked_count % history->forked_room].time, time);

	history->forked = with_room(history->forked, sizeof *history->forked, &history->forked_room,
				    &history->forked_count, old);
	history->forked[history->forked_count++ % history->forked_room] =
		(struct forked){time, told};
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

const struct seen *history_nearest(const struct history *history, uint64_t time, unsigned where)
{
	const struct seen *best = NULL;

	/* From the newest on: once they get further away before the moment, all others are further. */
	for (uint64_t i = 1; i <= kept(history->seen_count, history->seen_room); i++) {
		const struct seen *seen =
			&history->seen[(history->seen_count - i) % history->seen_room];

		if (where >> seen->where & 1 &&
		    (!best || distance(seen->time, time) < distance(best->time, time)))
			best = seen;
		else if (best && seen->time < time)
			break;
	}
	return best;
}

static const struct forked *fork_at(const struct history *history, uint64_t number)
{
	return &history->forked[number % history->forked_room];
}

static uint64_t fork_time(const void *history, uint64_t number)
{
	return fork_at(history, number)->time;
}

const struct forked *history_nearest_fork(const struct history *history, uint64_t time,
					  bool (*is)(const void *context, uint32_t told),
					  const void *context)
{
	const uint64_t end = history->forked_count;
	const uint64_t begin = end - kept(end, history->forked_room);
	const uint64_t later = first_behind(begin, end, time, fork_time, history);

	/* Outwards from there, the nearer one first. */
	for (uint64_t before = later, after = later, i = 0;
	     i < SEARCH_MOST && (before > begin || after < end); i++) {
		const struct forked *one = before > begin ? fork_at(history, before - 1) : NULL;
		const struct forked *other = after < end ? fork_at(history, after) : NULL;
		const bool earlier =
			!other || (one && distance(one->time, time) <= distance(other->time, time));

		if (is(context, earlier ? one->told : other->told))
			return earlier ? one : other;
		if (earlier)
			before--;
		else
			after++;
	}
	return NULL;
}

void history_forks_around(const struct history *history, uint64_t time,
			  const struct forked *around[2])
{
	const uint64_t end = history->forked_count;
	const uint64_t begin = end - kept(end, history->forked_room);
	const uint64_t later = first_behind(begin, end, time, fork_time, history);

	around[0] = later > begin ? fork_at(history, later - 1) : NULL;
	around[1] = later < end ? fork_at(history, later) : NULL;
}
