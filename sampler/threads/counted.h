/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernel has counted for a thread beyond what it notes when it switches: a thread that is given a processor has it,
 * by that count, from a little before the note; and how long one that was woken waited for a processor no note tells.
 */
#ifndef SAMPLER_COUNTED_H
#define SAMPLER_COUNTED_H

#include "threads/thread.h"

/* Reads the count of those that have been given a processor since it was read last; of many, of some in turn. What was
 * counted by then has to be in their timelines before it is settled there: clocks are read behind this. */
void counted_read(struct threads *threads, const struct process *process);

/* Gives what was read a place in the timeline: a thread's time on a processor begins earlier, and its sleeps end by a wait
 * for one, all of the time since that was done last by the same part. */
void counted_settle(struct thread *thread);

#endif /* SAMPLER_COUNTED_H */
