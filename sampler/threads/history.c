/* SPDX-License-Identifier: Apache-2.0 */
#include "threads/history.h"

#include <stdlib.h>

#include "base/grow.h"

void history_deinit(struct history *history)
{
	free(history->seen);
	free(history->forked);
	*history = (struct history){0};
}

void history_see(struct history *history, struct seen seen)
{
	if (!history->seen)
		history->seen = take(HISTORY_LENGTH, sizeof *history->seen);
	history->seen[history->seen_count++ % HISTORY_LENGTH] = seen;
}

void history_fork(struct history *history, uint64_t time, uint32_t told)
{
	if (!history->forked)
		history->forked = take(HISTORY_LENGTH, sizeof *history->forked);
	history->forked[history->forked_count++ % HISTORY_LENGTH] = (struct forked){time, told};
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t kept(uint64_t count)
{
	return count < HISTORY_LENGTH ? count : HISTORY_LENGTH;
}

const struct seen *history_nearest(const struct history *history, uint64_t time, unsigned where)
{
	const struct seen *best = NULL;

	/* From the newest on: once they get further away before the moment, all others are further. */
	for (uint64_t i = 1; i <= kept(history->seen_count); i++) {
		const struct seen *seen =
			&history->seen[(history->seen_count - i) % HISTORY_LENGTH];

		if (where >> seen->where & 1 &&
		    (!best || distance(seen->time, time) < distance(best->time, time)))
			best = seen;
		else if (best && seen->time < time)
			break;
	}
	return best;
}

const struct forked *history_nearest_fork(const struct history *history, uint64_t time,
					  bool (*is)(const void *context, uint32_t told),
					  const void *context)
{
	const struct forked *best = NULL;

	for (uint64_t i = 1; i <= kept(history->forked_count); i++) {
		const struct forked *one =
			&history->forked[(history->forked_count - i) % HISTORY_LENGTH];

		if (best && one->time < time &&
		    distance(one->time, time) >= distance(best->time, time))
			break;
		if ((!best || distance(one->time, time) < distance(best->time, time)) &&
		    is(context, one->told))
			best = one;
	}
	return best;
}
