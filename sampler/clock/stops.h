/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock that is left where perf is refused, for a program of our own: a thread is stopped for the moment in which its
 * registers and its stack are read. If the sampler dies the kernel lets the thread go; if it is stopped, clock/rescue.h.
 */
#ifndef SAMPLER_STOPS_H
#define SAMPLER_STOPS_H

#include "clock/rescue.h"
#include "clock/sink.h"
#include "target/memory.h"

enum stop_answer {
	STOP_OK,
	STOP_GONE,
	STOP_REFUSED,
	STOP_LATE /* it has not stopped in time: it is let go as soon as it does */
};

#define STOPS_LATE_MAX 64

struct stops {
	struct memory *memory;
	pid_t program; /* whose end is told to whoever waits for that */
	struct rescue rescue;
	pid_t late[STOPS_LATE_MAX];
	size_t late_count;
};

void stops_init(struct stops *stops, struct memory *memory, pid_t program);
/* Those that have not stopped until then are let go if that takes less than a second. */
void stops_deinit(struct stops *stops);

/* Fills the sample, whose stack is valid until the next one. */
enum stop_answer stop_and_sample(struct stops *stops, pid_t lwp, struct sample *sample);

/* Lets those go that came late, as far as they have stopped. */
void stops_release(struct stops *stops);

#endif /* SAMPLER_STOPS_H */
