/* SPDX-License-Identifier: Apache-2.0 */
#include "threads/counted.h"

#include "base/clocks.h"

/* At a time: a file of /proc each. */
#define READ_AT_ONCE 100

/* Less stays for the next time: each wait is a row of the record. */
#define WAITS_LEAST (5 * MILLISECOND)

void counted_read(struct threads *threads, const struct process *process)
{
	for (uint32_t i = 0, done = 0; i < threads->living_count && done < READ_AT_ONCE; i++) {
		struct thread *thread =
			threads->all[threads->living[threads->turn++ % threads->living_count]];

		if (!thread->sampled || !thread->was_given_one || thread->gone)
			continue;
		thread_read_schedule(thread, process);
		thread->is_counted = true;
		thread->was_given_one = false;
		done++;
	}
}

/* Of the kernel's count, what is not in the timeline, and has a place there. */
static int64_t missing(const struct thread *thread, enum piece_kind kind, uint64_t counted,
		       int64_t nowhere)
{
	return (int64_t)counted - nowhere - (int64_t)timeline_sum(&thread->timeline, kind);
}

/* Of what is missing, what may have been in the time that is lost. */
static int64_t take_lost(int64_t missing, int64_t *lost)
{
	const int64_t part = missing < 0 ? 0 : missing < *lost ? missing : *lost;

	*lost -= part;
	return part;
}

void counted_settle(struct thread *thread)
{
	struct timeline *timeline = &thread->timeline;

	if (!thread->is_counted)
		return;
	thread->is_counted = false;
	const uint64_t all_lost = timeline_sum(timeline, PIECE_LOST);
	int64_t lost = (int64_t)(all_lost - thread->lost_before);
	int64_t on = missing(thread, PIECE_ON, thread->schedule_on, thread->on_nowhere);

	thread->lost_before = all_lost;
	thread->on_nowhere += take_lost(on, &lost);
	on = missing(thread, PIECE_ON, thread->schedule_on, thread->on_nowhere);
	if (on > 0)
		timeline_begin_earlier(timeline, (uint64_t)on);
	int64_t delay =
		missing(thread, PIECE_PREEMPTED, thread->schedule_delay, thread->delay_nowhere);

	thread->delay_nowhere += take_lost(delay, &lost);
	delay = missing(thread, PIECE_PREEMPTED, thread->schedule_delay, thread->delay_nowhere);
	if (delay >= (int64_t)WAITS_LEAST)
		thread->delay_nowhere += delay - (int64_t)timeline_delay(timeline, (uint64_t)delay);
}
