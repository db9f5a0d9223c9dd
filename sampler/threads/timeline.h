/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread's time without gaps, in pieces: on a processor, asleep, or wanting a processor. When it was which is known
 * exactly, what it was for by samples: each tells the time since the one before it. What no sample tells stays untold.
 */
#ifndef SAMPLER_TIMELINE_H
#define SAMPLER_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"

enum piece_kind {
	PIECE_ON,
	PIECE_ASLEEP,
	PIECE_PREEMPTED,
	PIECE_LOST /* what the kernel noted of it was lost */
};

enum piece_state {
	PIECE_OPEN,   /* the next sample may tell it */
	PIECE_TOLD,   /* by the sample `told' */
	PIECE_UNTOLD, /* too long before the next sample */
};

struct piece {
	uint64_t start, end;
	uint32_t told; /* number of what was told */
	uint32_t samples;
	uint64_t sampled_at; /* the moment of the sample that tells it */
	uint8_t kind;
	uint8_t state;
	bool of_later; /* a sleep that the look at a later one tells */
};

struct timeline {
	struct piece *pieces; /* the first of them begins where the last that was taken out ends */
	size_t count, capacity;
	uint64_t since; /* up to here all is in pieces */
	uint8_t kind;   /* of what comes behind */
	bool guessed;   /* what it has been since guessed_from, until a clock has told something */
	bool adrift;    /* and not even that: it is what it was before something was lost */
	uint64_t guessed_from;
	uint32_t sleep_told; /* what is known of the sleep that goes on; NONE */
	uint64_t sleep_began;
	uint64_t delayed_until; /* sleeps that ended until then have got their delay */
	uint64_t on, preempted, untold, lost; /* sums of what was taken out */
};

void timeline_init(struct timeline *timeline, uint64_t at, enum piece_kind kind);
void timeline_deinit(struct timeline *timeline);

/* Something will be told of it soon: of many threads each one's memory has left the processor's caches since the last pass. */
void timeline_expect(const struct timeline *timeline);

/* Up to here all is known, or known to be lost, and what it is from now on a guess. */
void timeline_guess(struct timeline *timeline, uint64_t at, enum piece_kind kind);

/* The first that a clock tells of the thread says what it had been before, a guess until then: it was on a processor. */
void timeline_was_on(struct timeline *timeline);
/* It was not, until this moment: without a guess it is not known whether it slept. */
void timeline_was_off(struct timeline *timeline, uint64_t at);

/* From now on it is something else, or still the same. Moments before the last one are taken for that. */
void timeline_turn(struct timeline *timeline, uint64_t at, enum piece_kind kind);

/* Between the two moments nothing is known, and what it is from then on has to be guessed. */
void timeline_lose(struct timeline *timeline, uint64_t since, uint64_t at);

/* A sample of kind ON or ASLEEP: open pieces of it are told, up to `reach' of nanoseconds, the latest first; those
 * that lie further back stay untold. If the gap is above reach, only `own' of it is the sample's. */
void timeline_sample(struct timeline *timeline, uint64_t at, enum piece_kind kind, uint32_t told,
		     uint64_t reach, uint64_t own);

/* All time of this kind, what was taken out as well: not of those asleep. */
uint64_t timeline_sum(const struct timeline *timeline, enum piece_kind kind);

/* So much more of the time was on a processor: before each moment at which it was given one, as far as it had none, the
 * same part. */
void timeline_begin_earlier(struct timeline *timeline, uint64_t more);

/* So much of the sleeps that have ended since it was called last was no sleep, but waiting for a processor: the end of
 * each, in equal parts as far as they were that long. Returns how much there was room for. */
uint64_t timeline_delay(struct timeline *timeline, uint64_t delay);

/* Open pieces that end before the moment stay untold. */
void timeline_close(struct timeline *timeline, uint64_t before);

/* The next piece that is not open any more, of one that the moment lies in what is before it, unless it is on a processor;
 * false: there is none. */
bool timeline_take(struct timeline *timeline, size_t *at, uint64_t before, struct piece *piece);

/* Drops the first `at' pieces, which have been taken. */
void timeline_drop(struct timeline *timeline, size_t at);

#endif /* SAMPLER_TIMELINE_H */
