/* SPDX-License-Identifier: Apache-2.0 */
#include "threads/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Those of a pass. */
#define PIECES_EXPECTED 5

void timeline_init(struct timeline *timeline, uint64_t at, enum piece_kind kind)
{
	*timeline = (struct timeline){.since = at,
				      .kind = (uint8_t)kind,

				      .sleep_told = NONE,
				      .sleep_began = at};
}

void timeline_deinit(struct timeline *timeline)
{
	free(timeline->pieces);
	timeline->pieces = NULL;
	timeline->count = timeline->capacity = 0;
}

void timeline_expect(const struct timeline *timeline)
{
	const size_t last = timeline->count ? timeline->count - 1 : 0;

	for (size_t i = last; i < timeline->capacity && i < last + PIECES_EXPECTED; i++)
		__builtin_prefetch(&timeline->pieces[i]);
}

static struct piece *last(struct timeline *timeline)
{
	return timeline->count ? &timeline->pieces[timeline->count - 1] : NULL;
}

static bool needs_sample(const struct piece *piece)
{
	return piece->kind != PIECE_PREEMPTED && piece->kind != PIECE_LOST;
}

/* Whatever lies up to the moment is a piece of the kind that goes on. */
static void fill(struct timeline *timeline, uint64_t at)
{
	if (at <= timeline->since)
		return;
	struct piece *before = last(timeline);
	struct piece piece = {.start = timeline->since,
			      .end = at,
			      .told = NONE,
			      .sampled_at = at,
			      .kind = timeline->kind,
			      .state = PIECE_OPEN};

	if (piece.kind == PIECE_PREEMPTED)
		piece.state = PIECE_UNTOLD;
	if (piece.kind == PIECE_ASLEEP && timeline->sleep_told != NONE) {
		piece.state = PIECE_TOLD;
		piece.told = timeline->sleep_told;
	}
	timeline->since = at;
	if (before && piece.start != timeline->guessed_from && before->kind == piece.kind &&
	    before->state == piece.state && before->told == piece.told && !before->of_later &&
	    before->end == piece.start) {
		before->end = at;
		return;
	}
	timeline->pieces = grow_array(timeline->pieces, timeline->count, &timeline->capacity,
				      sizeof *timeline->pieces);
	timeline->pieces[timeline->count++] = piece;
}

void timeline_guess(struct timeline *timeline, uint64_t at, enum piece_kind kind)
{
	timeline_turn(timeline, at, kind);
	timeline->guessed = true;
	timeline->adrift = false;
	timeline->guessed_from = at;
}

static void correct(struct timeline *timeline, enum piece_kind kind)
{
	if (timeline->kind == kind)
		return;
	for (size_t i = 0; i < timeline->count; i++) {
		if (timeline->pieces[i].start < timeline->guessed_from ||
		    timeline->pieces[i].kind == PIECE_LOST)
			continue;
		timeline->pieces[i].kind = (uint8_t)kind;
		timeline->pieces[i].told = NONE;
		timeline->pieces[i].samples = 0;
		timeline->pieces[i].state = kind == PIECE_PREEMPTED ? PIECE_UNTOLD : PIECE_OPEN;
	}
	timeline->kind = (uint8_t)kind;
	timeline->sleep_told = NONE;
}

void timeline_was_on(struct timeline *timeline)
{
	if (timeline->guessed)
		correct(timeline, PIECE_ON);
	timeline->guessed = timeline->adrift = false;
}

void timeline_was_off(struct timeline *timeline, uint64_t at)
{
	if (timeline->adrift && at > timeline->guessed_from)
		timeline_lose(timeline, timeline->guessed_from, at);
	/* It was ready then, and has not slept since: its going to sleep would have been told. */
	else if (timeline->guessed && timeline->kind == PIECE_ON)
		correct(timeline, PIECE_PREEMPTED);
	timeline->guessed = timeline->adrift = false;
}

void timeline_turn(struct timeline *timeline, uint64_t at, enum piece_kind kind)
{
	fill(timeline, at);
	if (kind != timeline->kind && kind == PIECE_ASLEEP)
		timeline->sleep_began = at;
	if (kind != timeline->kind)
		timeline->sleep_told = NONE;
	timeline->kind = (uint8_t)kind;
}

/* The part of the piece before the moment becomes one of its own. */
static void split(struct timeline *timeline, size_t at, uint64_t moment)
{
	timeline->pieces = grow_array(timeline->pieces, timeline->count, &timeline->capacity,
				      sizeof *timeline->pieces);
	struct piece *piece = &timeline->pieces[at];

	memmove(piece + 1, piece, (timeline->count - at) * sizeof *piece);
	timeline->count++;
	piece[0].end = moment;
	piece[1].start = moment;
	/* The sample is of the part that it was taken in. */
	piece[piece[0].sampled_at > moment ? 0 : 1].samples = 0;
}

void timeline_lose(struct timeline *timeline, uint64_t since, uint64_t at)
{
	fill(timeline, at);
	for (size_t i = timeline->count; i-- > 0 && timeline->pieces[i].end > since;) {
		if (timeline->pieces[i].start >= at)
			continue;
		if (timeline->pieces[i].end > at)
			split(timeline, i, at);
		if (timeline->pieces[i].start < since)
			split(timeline, i++, since);
		struct piece *piece = &timeline->pieces[i];

		*piece = (struct piece){.start = piece->start,
					.end = piece->end,
					.told = NONE,
					.sampled_at = piece->end,
					.kind = PIECE_LOST,
					.state = PIECE_UNTOLD};
	}
	timeline->guessed = timeline->adrift = true;
	timeline->guessed_from = at;
	timeline->sleep_told = NONE;
}

static uint64_t open_time(const struct timeline *timeline, enum piece_kind kind)
{
	uint64_t open = 0;

	for (size_t i = timeline->count; i-- > 0;) {
		const struct piece *piece = &timeline->pieces[i];

		if (piece->kind == PIECE_LOST)
			break;
		if (piece->kind != kind)
			continue;
		if (piece->state != PIECE_OPEN)
			break;
		open += piece->end - piece->start;
	}
	return open;
}

void timeline_sample(struct timeline *timeline, uint64_t at, enum piece_kind kind, uint32_t told,
		     uint64_t reach, uint64_t own)
{
	fill(timeline, at);
	uint64_t left = open_time(timeline, kind) > reach ? own : UINT64_MAX;
	uint64_t joined = at;
	bool counted = false;

	for (size_t i = timeline->count; i-- > 0;) {
		struct piece *piece = &timeline->pieces[i];

		if (piece->kind == PIECE_LOST)
			break;
		if (piece->kind != kind)
			continue;
		if (piece->state != PIECE_OPEN)
			break;
		uint64_t length = piece->end - piece->start;

		if (left == 0) {
			piece->state = PIECE_UNTOLD;
			continue;
		}
		if (length > left) {
			split(timeline, i, piece->end - left);
			piece = &timeline->pieces[i + 1];
			timeline->pieces[i].state = PIECE_UNTOLD;
			length = left;
		}
		piece->state = PIECE_TOLD;
		piece->told = told;
		piece->sampled_at = at;
		piece->samples = counted ? 0 : 1;
		piece->of_later = kind == PIECE_ASLEEP && piece->end != joined;
		joined = piece->of_later ? 0 : piece->start;
		counted = true;
		left -= left == UINT64_MAX ? 0 : length;
	}
	if (kind == PIECE_ASLEEP && timeline->kind == PIECE_ASLEEP)
		timeline->sleep_told = told;
}

uint64_t timeline_sum(const struct timeline *timeline, enum piece_kind kind)
{
	uint64_t sum = kind == PIECE_ON          ? timeline->on
		       : kind == PIECE_PREEMPTED ? timeline->preempted
		       : kind == PIECE_LOST      ? timeline->lost
						 : 0;

	for (size_t i = 0; i < timeline->count; i++)
		if (timeline->pieces[i].kind == kind)
			sum += timeline->pieces[i].end - timeline->pieces[i].start;
	return sum;
}

static bool is_given_processor_behind(const struct timeline *timeline, size_t at)
{
	const uint8_t kind = timeline->pieces[at].kind;

	return (kind == PIECE_ASLEEP || kind == PIECE_PREEMPTED) && at + 1 < timeline->count &&
	       timeline->pieces[at + 1].kind == PIECE_ON;
}

void timeline_begin_earlier(struct timeline *timeline, uint64_t more)
{
	struct piece *pieces = timeline->pieces;
	uint64_t times = 0;

	for (size_t i = 0; i < timeline->count; i++)
		times += is_given_processor_behind(timeline, i);
	for (size_t i = 0; i < timeline->count; i++) {
		if (!is_given_processor_behind(timeline, i))
			continue;
		const uint64_t half = (pieces[i].end - pieces[i].start) / 2;
		const uint64_t part = more / times < half ? more / times : half;

		pieces[i].end -= part;
		pieces[i + 1].start -= part;
	}
}

/* It is asleep, and is woken at its end: of a sleep in several pieces, the last. */
static bool ends_sleep(const struct timeline *timeline, size_t at)
{
	const uint8_t next =
		at + 1 < timeline->count ? timeline->pieces[at + 1].kind : timeline->kind;

	return timeline->pieces[at].kind == PIECE_ASLEEP && next == PIECE_ON &&
	       timeline->pieces[at].end > timeline->delayed_until;
}

/* How long the sleep has been that ends with this piece, as far as it is there. */
static uint64_t length_of_sleep(const struct timeline *timeline, size_t last)
{
	size_t first = last;

	while (first > 0 && timeline->pieces[first - 1].kind == PIECE_ASLEEP)
		first--;
	return timeline->pieces[last].end - timeline->pieces[first].start;
}

static int by_length(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Lengths of the sleeps that have ended, the shortest first: the caller frees them. */
static uint64_t *lengths_of_sleeps(const struct timeline *timeline, size_t *count)
{
	uint64_t *lengths = take_memory(timeline->count + 1, sizeof *lengths);

	*count = 0;
	for (size_t i = 0; i < timeline->count; i++)
		if (ends_sleep(timeline, i))
			lengths[(*count)++] = length_of_sleep(timeline, i);
	if (*count)
		qsort(lengths, *count, sizeof *lengths, by_length);
	return lengths;
}

/* The end of each sleep, up to `most' of it, becomes a piece in which a processor is waited for: one more for each. */
static void turn_ends(struct timeline *timeline, size_t sleeps, uint64_t most)
{
	const size_t room = timeline->count + sleeps;
	struct piece *pieces = take_memory(room, sizeof *pieces);
	size_t first = room;
	uint64_t left = 0;

	for (size_t i = timeline->count; i-- > 0;) {
		struct piece piece = timeline->pieces[i];

		if (piece.kind != PIECE_ASLEEP)
			left = 0;
		else if (ends_sleep(timeline, i))
			left = most;
		const uint64_t length = piece.end - piece.start,
			       part = left < length ? left : length;

		left -= part;
		piece.end -= part;
		if (part)
			pieces[--first] = (struct piece){.start = piece.end,
							 .end = piece.end + part,
							 .told = NONE,
							 .sampled_at = piece.end + part,
							 .kind = PIECE_PREEMPTED,
							 .state = PIECE_UNTOLD};
		if (piece.start < piece.end)
			pieces[--first] = piece;
	}
	memmove(pieces, pieces + first, (room - first) * sizeof *pieces);
	free(timeline->pieces);
	timeline->pieces = pieces;
	timeline->count = room - first;
	timeline->capacity = room;
}

uint64_t timeline_delay(struct timeline *timeline, uint64_t delay)
{
	size_t count;
	uint64_t *lengths = lengths_of_sleeps(timeline, &count);
	uint64_t left = delay, most = UINT64_MAX;

	for (size_t i = 0; i < count; i++) {
		const uint64_t part = left / (count - i);

		if (part <= lengths[i]) {
			most = part;
			left -= part * (count - i);
			break;
		}
		left -= lengths[i];
	}
	free(lengths);
	if (count)
		turn_ends(timeline, count, most);
	timeline->delayed_until = timeline->since;
	return delay - left;
}

void timeline_close(struct timeline *timeline, uint64_t before)
{
	for (size_t i = 0; i < timeline->count && timeline->pieces[i].start < before; i++) {
		struct piece *piece = &timeline->pieces[i];

		if (piece->state != PIECE_OPEN || !needs_sample(piece))
			continue;
		if (piece->end > before) {
			split(timeline, i, before);
			piece = &timeline->pieces[i];
		}
		piece->state = PIECE_UNTOLD;
	}
}

bool timeline_take(struct timeline *timeline, size_t *at, uint64_t before, struct piece *piece)
{
	if (*at == timeline->count || timeline->pieces[*at].state == PIECE_OPEN ||
	    timeline->pieces[*at].start >= before)
		return false;
	if (timeline->pieces[*at].end > before) {
		/* A sample tells its whole piece: the next one is near. Without a processor it may go on for ever. */
		if (timeline->pieces[*at].kind == PIECE_ON)
			return false;
		split(timeline, *at, before);
	}
	*piece = timeline->pieces[(*at)++];
	uint64_t length = piece->end - piece->start;

	timeline->on += piece->kind == PIECE_ON ? length : 0;
	timeline->lost += piece->kind == PIECE_LOST ? length : 0;
	timeline->preempted += piece->kind == PIECE_PREEMPTED ? length : 0;
	timeline->untold += piece->kind == PIECE_ON && piece->state == PIECE_UNTOLD ? length : 0;
	return true;
}

void timeline_drop(struct timeline *timeline, size_t at)
{
	if (!at)
		return;
	memmove(timeline->pieces, timeline->pieces + at,
		(timeline->count - at) * sizeof *timeline->pieces);
	timeline->count -= at;
}
