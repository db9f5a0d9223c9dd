/* SPDX-License-Identifier: Apache-2.0 */
#include "threads/thread.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void threads_init(struct threads *threads)
{
	*threads = (struct threads){0};
}

void threads_deinit(struct threads *threads)
{
	for (uint32_t i = 0; i < threads->count; i++) {
		history_deinit(&threads->all[i]->history);
		timeline_deinit(&threads->all[i]->timeline);
		known_stack_forget(&threads->all[i]->stack);
		process_close_kept(&threads->all[i]->files);
		free(threads->all[i]);
	}
	free(threads->all);
	free(threads->living);
	free(threads->lwps);
	free(threads->slots);
}

static size_t slot_of(const struct threads *threads, pid_t lwp)
{
	size_t slot = (size_t)lwp * 2654435761u & (threads->slot_count - 1);

	while (threads->slots[slot] && threads->all[threads->slots[slot] - 1]->lwp != lwp)
		slot = (slot + 1) & (threads->slot_count - 1);
	return slot;
}

/* Of those that live. */
static void index_living(struct threads *threads)
{
	while ((size_t)threads->living_count * 2 >= threads->slot_count) {
		free(threads->slots);
		threads->slot_count = threads->slot_count ? threads->slot_count * 2 : 64;
		threads->slots = take_memory(threads->slot_count, sizeof *threads->slots);
	}
	memset(threads->slots, 0, threads->slot_count * sizeof *threads->slots);
	for (uint32_t i = 0; i < threads->living_count; i++)
		threads->slots[slot_of(threads, threads->all[threads->living[i]]->lwp)] =
			threads->living[i] + 1;
}

struct thread *thread_by_lwp(const struct threads *threads, pid_t lwp)
{
	if (!threads->slot_count)
		return NULL;
	uint32_t found = threads->slots[slot_of(threads, lwp)];

	return found && !threads->all[found - 1]->gone ? threads->all[found - 1] : NULL;
}

void threads_drop_ended(struct threads *threads)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < threads->living_count; i++)
		if (!threads->all[threads->living[i]]->gone)
			threads->living[kept++] = threads->living[i];
	threads->living_count = kept;
	index_living(threads);
}

bool threads_close_kept(struct threads *threads)
{
	bool closed = false;

	for (uint32_t i = 0; i < threads->living_count; i++)
		closed |= process_close_kept(&threads->all[threads->living[i]]->files);
	return closed;
}

void thread_fill(struct thread *thread, uint64_t at)
{
	struct timeline *timeline = &thread->timeline;

	if (timeline->adrift && at > timeline->guessed_from)
		timeline_lose(timeline, timeline->guessed_from, at);
	timeline_turn(timeline, at, (enum piece_kind)timeline->kind);
}

void thread_end(struct thread *thread, uint64_t at)
{
	if (thread->gone)
		return;
	if (at < thread->timeline.since)
		at = thread->timeline.since;
	thread_fill(thread, at);
	known_stack_forget(&thread->stack);
	process_close_kept(&thread->files);
	thread->gone = at;
}

void thread_read_schedule(struct thread *thread, const struct process *process)
{
	uint64_t on, delay;

	if (!process_schedule(process, thread->lwp, &thread->files, &on, &delay))
		return;
	thread->schedule_on = on - thread->schedule_on_before;
	thread->schedule_delay = delay - thread->schedule_delay_before;
	thread->schedule_known = true;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void thread_spread_schedule(struct thread *thread, const struct process *process, uint64_t at)
{
	const uint64_t since = thread->timeline.since, length = at > since ? at - since : 0;

	thread_read_schedule(thread, process);
	/* The kernel counts in steps: what does not fit is of the next time. */
	const uint64_t on = least(thread->schedule_on - thread->spread_on, length);
	const uint64_t delay = least(thread->schedule_delay - thread->spread_delay, length - on);

	thread->spread_on += on;
	thread->spread_delay += delay;
	/* It has slept on: what is known of that holds. */
	if (on == 0 && delay == 0 && thread->timeline.kind == PIECE_ASLEEP) {
		timeline_turn(&thread->timeline, at, PIECE_ASLEEP);
		return;
	}
	timeline_turn(&thread->timeline, since, PIECE_ON);
	timeline_turn(&thread->timeline, since + on, PIECE_PREEMPTED);
	timeline_turn(&thread->timeline, since + on + delay, PIECE_ASLEEP);
	timeline_turn(&thread->timeline, at, PIECE_ASLEEP);
}

static struct thread *add(struct threads *threads, const struct process *process, pid_t lwp,
			  uint64_t at)
{
	struct thread *thread = take_memory(1, sizeof *thread);

	*thread = (struct thread){.number = threads->count,
				  .lwp = lwp,
				  .born = at,
				  .listed = true,
				  .runtime = NONE,
				  .runtime_id = -1,
				  .last_region = NONE,
				  .last_team = NONE,
				  .last_level = -1,
				  .last_thread_num = -1,
				  .last_told = NONE};
	process_schedule(process, lwp, &thread->files, &thread->schedule_on_before,
			 &thread->schedule_delay_before);
	const bool runs = process_thread_state_and_name(process, lwp, thread->name) == 'R';

	timeline_init(&thread->timeline, at, runs ? PIECE_ON : PIECE_ASLEEP);
	threads->all = grow_array(threads->all, threads->count, &threads->capacity,
				  sizeof(struct thread *));
	threads->all[threads->count++] = thread;
	threads->living = grow_array(threads->living, threads->living_count,
				     &threads->living_capacity, sizeof *threads->living);
	threads->living[threads->living_count++] = thread->number;
	return thread;
}

uint32_t threads_refresh(struct threads *threads, const struct process *process, uint64_t at)
{
	const uint32_t before = threads->count;
	size_t count = process_threads(process, &threads->lwps, &threads->lwp_capacity);

	for (uint32_t i = 0; i < threads->living_count; i++)
		threads->all[threads->living[i]]->listed = false;
	for (size_t i = 0; i < count; i++) {
		struct thread *known = thread_by_lwp(threads, threads->lwps[i]);

		if (known)
			known->listed = true;
		else if (threads->living_count < THREADS_MAX)
			add(threads, process, threads->lwps[i], at);
	}
	for (uint32_t i = 0; i < threads->living_count; i++) {
		struct thread *thread = threads->all[threads->living[i]];

		if (!thread->listed)
			thread_end(thread, at);
	}
	threads_drop_ended(threads);
	return threads->count - before;
}
