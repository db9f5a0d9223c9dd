/* SPDX-License-Identifier: Apache-2.0 */
#include "threads/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

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
	    before->state == piece.state && before->told == piece.told &&
	    before->end == piece.start) {
		before->end = at;
		return;
	}
	timeline->pieces = grow(timeline->pieces, timeline->count, &timeline->capacity,
				sizeof *timeline->pieces);
	timeline->pieces[timeline->count++] = piece;
}

void timeline_guess(struct timeline *timeline, uint64_t at, enum piece_kind kind)
{
	timeline_turn(timeline, at, kind);
	timeline->guessed = true;
	timeline->guessed_from = at;
}

void timeline_correct(struct timeline *timeline, enum piece_kind kind)
{
	if (!timeline->guessed)
		return;
	timeline->guessed = false;
	if (timeline->kind == kind)
		return;
	for (size_t i = 0; i < timeline->count; i++) {
		if (timeline->pieces[i].start < timeline->guessed_from)
			continue;
		timeline->pieces[i].kind = (uint8_t)kind;
		timeline->pieces[i].told = NONE;
		timeline->pieces[i].samples = 0;
		timeline->pieces[i].state = kind == PIECE_PREEMPTED ? PIECE_UNTOLD : PIECE_OPEN;
	}
	timeline->kind = (uint8_t)kind;
	timeline->sleep_told = NONE;
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
	timeline->pieces = grow(timeline->pieces, timeline->count, &timeline->capacity,
				sizeof *timeline->pieces);
	struct piece *piece = &timeline->pieces[at];

	memmove(piece + 1, piece, (timeline->count - at) * sizeof *piece);
	timeline->count++;
	piece[0].end = moment;
	piece[0].samples = 0;
	piece[1].start = moment;
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
	timeline->guessed = true;
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
		counted = true;
		left -= left == UINT64_MAX ? 0 : length;
	}
	if (kind == PIECE_ASLEEP && timeline->kind == PIECE_ASLEEP)
		timeline->sleep_told = told;
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
	    timeline->pieces[*at].end > before)
		return false;
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
