/* SPDX-License-Identifier: Apache-2.0 */
#include "run/session.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clocks.h"
#include "base/grow.h"
#include "names/names.h"
#include "record/regions.h"

/* A stack that was cut may have more copied if that would have helped so often, and in so many of all samples: */
#define BEYOND_LEAST 4
#define BEYOND_SHARE 100

#define GONE_WITH_NAMES 8

/* How far back a sample may tell, in periods: with samples of the kernel's time none is missing but by a hypervisor. */
#define REACH_KERNEL 2.5
#define REACH_USER 1.3
#define REACH_SHARED 4.0

void session_want_lock(struct session *session, const struct thread *thread, uint64_t at,
		       uint32_t told)
{
	const struct stack_told *one = told_of(&session->tellings, told);
	const uint64_t lock = lock_told(&session->tellings, one);

	if (lock && thread->runtime != NONE)
		lock_holders_want(&session->pictures.locks, lock, one->wait == ompdx_wait_critical,
				  thread->runtime, at);
}

void session_learn(struct session *session, struct thread *thread, uint64_t at, uint32_t told)
{
	const struct stack_told *one = told_of(&session->tellings, told);

	session_want_lock(session, thread, at, told);
	if (one->forks[0] == NONE)
		return;
	history_fork(&thread->history, at, told);
	if (!one->region)
		return;
	struct tables *tables = &session->record.tables;
	const uint64_t function = one->region;
	const uint32_t fork = one->forks[0];

	if (region_of_fork(tables, fork) == NONE) {
		uint32_t region = table_region(tables, function);

		learn_fork(tables, fork, region);
		learn_region(tables, region, thread->number, one->league,
			     site_of(&session->tellings.sites, fork)->source);
	}
}

void session_learn_source(void *session, uint64_t function, bool league, const char *source)
{
	struct tables *tables = &((struct session *)session)->record.tables;

	learn_region(tables, table_region(tables, function), NONE, league, source);
}

void session_count_stack(struct session *session, struct thread *thread,
			 const struct frames *frames)
{
	session->stacks++;
	if (frames->whole)
		return;
	session->cut++;
	thread->cut++;
	thread->beyond += frames->beyond;
}

/* On-processor time that the sample may tell, and what is its own if there is more: the rest is not known. */
static void reach_of(const struct session *session, const struct thread *thread, uint64_t *reach,
		     uint64_t *own)
{
	uint64_t period = session->period;

	if (session->clock == CLOCK_PERF)
		period = thread->period > thread->period_before ? thread->period
								: thread->period_before;

	*own = 2 * period;
	if (session->clock == CLOCK_PERF && session->perf.shared) {
		*reach = (uint64_t)(REACH_SHARED * (double)period);
		*own = *reach;
	} else if (session->clock != CLOCK_PERF || session->perf.kernel) {
		*reach = (uint64_t)(REACH_KERNEL * (double)period);
	} else {
		*own = period;
		*reach = (uint64_t)(REACH_USER * (double)period);
		/* The clocks began anew since the last sample: what had gone by until then is no sample's. */
		if (thread->last_sample < thread->clock_set_at)
			*reach += period, *own += period / 2;
	}
}

/* The frame that calls the outermost construct; NONE: there is none. */
static uint32_t outermost_fork(struct session *session, const struct frames *frames, uint32_t told)
{
	const struct stack_told *one = told_of(&session->tellings, told);
	uint32_t code = NONE;

	for (size_t i = 0; i < FORKS_TOLD && one->forks[i] != NONE; i++)
		code = one->forks[i];
	for (uint32_t i = frames->count; code != NONE && i-- > 0;)
		if (code_at(&session->codes, frames->pc[i]) == code)
			return i;
	return NONE;
}

/* The same stack with the lines of Python's that led to the construct. */
static uint32_t tell_python(struct session *session, const struct thread *thread,
			    const struct sample *sample, const struct stack_copy *stack,
			    struct frames *frames, uint32_t told)
{
	const uint32_t caller = outermost_fork(session, frames, told);

	if (caller == NONE)
		return told;
	python_lay_behind(&session->python, thread->number, caller, stack, sample->time, frames);
	return tell(&session->tellings, frames, NULL, NULL);
}

void session_sample(struct session *session, struct thread *thread, const struct sample *sample)
{
	static struct frames frames;
	const struct stack_copy stack = {sample->stack, sample->registers.value[this_machine.sp],
					 sample->stack_size, NULL};
	uint64_t reach, own;

	unwind(session->unwinder, sample->registers, &stack, &frames);
	session_count_stack(session, thread, &frames);
	uint32_t told = tell(&session->tellings, &frames, NULL, NULL);

	if (told != NONE && session->python.interpreter.image)
		told = tell_python(session, thread, sample, &stack, &frames, told);
	session->samples++;
	thread->samples++;
	if (told == NONE)
		return;
	session_learn(session, thread, sample->time, told);
	reach_of(session, thread, &reach, &own);
	timeline_sample(&thread->timeline, sample->time, PIECE_ON, told, reach, own);
	thread->last_told = told;
	thread->last_sample = sample->time;
}

static void on_sample(void *context, const struct sample *sample)
{
	struct session *session = context;
	struct thread *thread = thread_by_lwp(&session->threads, sample->lwp);

	if (!thread)
		return;
	timeline_was_on(&thread->timeline);
	/* It was on a processor then, whatever got lost. */
	if (thread->timeline.kind != PIECE_ON)
		timeline_turn(&thread->timeline, sample->time, PIECE_ON);
	session_sample(session, thread, sample);
}

static void on_off(void *context, pid_t lwp, uint64_t time, bool wants_on)
{
	struct thread *thread = thread_by_lwp(&((struct session *)context)->threads, lwp);

	if (!thread)
		return;
	timeline_was_on(&thread->timeline);
	timeline_turn(&thread->timeline, time, wants_on ? PIECE_PREEMPTED : PIECE_ASLEEP);
}

static void on_on(void *context, pid_t lwp, uint64_t time)
{
	struct thread *thread = thread_by_lwp(&((struct session *)context)->threads, lwp);

	if (!thread)
		return;
	timeline_was_off(&thread->timeline, time);
	thread->was_given_one = true;
	timeline_turn(&thread->timeline, time, PIECE_ON);
}

static void lose(struct thread *thread, uint64_t since, uint64_t time)
{
	if (since == time)
		return;
	timeline_lose(&thread->timeline, since > thread->born ? since : thread->born, time);
}

static void on_lost(void *context, pid_t lwp, uint64_t since, uint64_t time, uint64_t count)
{
	struct session *session = context;
	struct thread *thread = lwp ? thread_by_lwp(&session->threads, lwp) : NULL;

	session->lost += count;
	session->threads_void = true;
	if (thread) {
		thread->lost += count;
		lose(thread, since, time);
	}
	for (uint32_t i = 0; i < session->threads.living_count && !lwp; i++) {
		struct thread *one = session->threads.all[session->threads.living[i]];

		if (!one->gone)
			lose(one, since, time);
	}
	if (!session->has_noted_lost)
		session->has_noted_lost = record_note(
			&session->record, "lost", thread,
			"The kernel had no room for all that it noted of threads that switch "
			"often, or the sampler was kept from reading it: what they did "
			"meanwhile is not known.");
}

static void on_empty(void *context, pid_t lwp)
{
	struct session *session = context;
	struct thread *thread = thread_by_lwp(&session->threads, lwp);

	session->lost++;
	if (thread)
		thread->lost++;
}

/* One that is gone before it is listed has no row in the record. */
static void on_born(void *context, pid_t lwp)
{
	struct session *session = context;

	if (thread_by_lwp(&session->threads, lwp))
		return;
	session->born = grow_array(session->born, session->born_count, &session->born_capacity,
				   sizeof *session->born);
	session->born[session->born_count++] = lwp;
}

static void on_ended(void *context, pid_t lwp, uint64_t time)
{
	struct session *session = context;
	struct thread *thread = thread_by_lwp(&session->threads, lwp);

	/* The first thread's end is the process's, which is seen elsewhere; a thread that executes gets the first one's
	 * number. */
	if (!thread || lwp == session->process.pid)
		return;
	timeline_was_on(&thread->timeline);
	thread_end(thread, time);
}

static void on_images_changed(void *context)
{
	struct session *session = context;

	session->images_void = session->threads_void = true;
	session->record.settling.looked = false;
}

static void on_executed(void *context, uint64_t time)
{
	struct session *session = context;

	(void)time;
	session->executed = true;
	on_images_changed(session);
}

struct sink session_sink(struct session *session)
{
	return (struct sink){session,           on_sample,  on_off,  on_on,
			     on_lost,           on_empty,   on_born, on_ended,
			     on_images_changed, on_executed};
}

static void leave_out(struct session *session, enum perf_answer answer)
{
	session->is_full = true;
	session->why_full = answer;
}

/* Once, and not before the record has begun. */
static void note_left_out(struct session *session)
{
	if (session->why_full == PERF_OK || session->has_left_out)
		return;
	session->has_left_out = record_note(
		&session->record, "threads_left_out", NULL,
		session->why_full == PERF_NO_DESCRIPTORS
			? "More threads than the sampler may have descriptors for (ulimit -n): the "
			  "others are not sampled, and are told by what they sleep on only."
			: "More threads than perf has memory for (ulimit -l): the others are not "
			  "sampled, and are told by what they sleep on only.");
}

static void add_clock(struct session *session, struct thread *thread, uint32_t stack_bytes)
{
	enum perf_answer answer =
		perf_add(&session->perf, thread->lwp, thread->number, stack_bytes);

	/* A clock is worth more than a file that need not be opened again. */
	if (answer == PERF_NO_DESCRIPTORS && threads_close_kept(&session->threads))
		answer = perf_add(&session->perf, thread->lwp, thread->number, stack_bytes);
	thread->sampled = answer == PERF_OK;
	if (answer == PERF_OK) {
		thread->stack_bytes = stack_bytes;
		thread->period = thread->period_before = session->period;
		thread->clock_set_at = now();
	} else if (answer != PERF_GONE) {
		leave_out(session, answer);
	}
}

/* Samples of its stack were cut where more of it would have helped. */
static bool wants_more(const struct thread *thread)
{
	return thread->sampled && thread->stack_bytes < STACK_BYTES_MOST &&
	       thread->beyond > BEYOND_LEAST && thread->beyond * BEYOND_SHARE > thread->samples;
}

static bool has_ended(void *context, uint32_t number)
{
	const struct session *session = context;

	return session->threads.all[number]->gone != 0;
}

/* What happens behind this moment a clock tells: what it has told by then, it tells as well. */
static void guess_from_now(const struct session *session, struct thread *thread, uint64_t lost_from)
{
	const bool runs = process_thread_runs(&session->process, thread->lwp);
	const uint64_t at = now();

	timeline_lose(&thread->timeline, lost_from, at);
	timeline_guess(&thread->timeline, at, runs ? PIECE_ON : PIECE_ASLEEP);
}

void session_guess_anew(struct session *session)
{
	const struct threads *threads = &session->threads;

	for (uint32_t i = 0; i < threads->living_count; i++) {
		struct thread *thread = threads->all[threads->living[i]];

		if (thread->sampled && thread->timeline.adrift)
			guess_from_now(session, thread, thread->timeline.guessed_from);
	}
}

/* Those whose clocks begin, at one moment: until then the kernel has counted what is theirs. */
static void begin_clocks(struct session *session)
{
	const struct threads *threads = &session->threads;

	for (uint32_t i = 0; i < threads->living_count; i++)
		if (threads->all[threads->living[i]]->begins)
			thread_spread_schedule(threads->all[threads->living[i]], &session->process,
					       now());
	perf_begin(&session->perf);
	for (uint32_t i = 0; i < threads->living_count; i++) {
		struct thread *thread = threads->all[threads->living[i]];

		if (!thread->begins)
			continue;
		thread->begins = false;
		if (thread->sampled)
			guess_from_now(session, thread, thread->timeline.since);
	}
}

/* Threads have begun to share rings: some may have none any more. */
static void find_lost_clocks(struct session *session)
{
	const struct threads *threads = &session->threads;

	for (uint32_t i = 0; i < threads->living_count; i++)
		threads->all[threads->living[i]]->sampled = false;
	for (size_t i = 0; i < session->perf.count; i++)
		threads->all[session->perf.threads[i].number]->sampled = true;
	if (session->perf.has_dropped)
		leave_out(session, PERF_NO_DESCRIPTORS);
}

static void refresh_clocks(struct session *session, uint32_t first_new)
{
	const struct threads *threads = &session->threads;
	const bool was_shared = session->perf.shared;

	if (perf_remove_ended(&session->perf, has_ended, session))
		session->is_full = false;
	for (uint32_t i = 0; i < threads->living_count; i++) {
		struct thread *thread = threads->all[threads->living[i]];

		if (thread->number >= first_new || (!thread->sampled && !session->is_full)) {
			thread->begins = true;
			if (!session->is_full)
				add_clock(session, thread, STACK_BYTES_FIRST);
		} else if (wants_more(thread)) {
			perf_remove(&session->perf, thread->lwp);
			add_clock(session, thread, STACK_BYTES_MOST);
			thread->beyond = 0;
		}
	}
	if (session->perf.shared && !was_shared)
		find_lost_clocks(session);
	begin_clocks(session);
}

/* Of so many at a time: a file of /proc each. */
#define LEFT_OUT_AT_ONCE 200

void session_spread_left_out(struct session *session, uint64_t at)
{
	const struct threads *threads = &session->threads;

	for (uint32_t i = 0, done = 0; i < threads->living_count && done < LEFT_OUT_AT_ONCE; i++) {
		struct thread *thread =
			threads->all[threads->living[session->turn++ % threads->living_count]];

		if (thread->sampled || thread->gone)
			continue;
		thread_spread_schedule(thread, &session->process, at);
		done++;
	}
}

/* Of those that are not mapped any more only the last ones keep their names, which what was sampled there may still want:
 * a program may load libraries without end. */
static void close_names(struct session *session)
{
	unsigned kept = 0;

	for (size_t i = session->images.count; i-- > 0;)
		if (!session->images.all[i]->mapped && kept++ >= GONE_WITH_NAMES)
			names_close(session->images.all[i]);
}

static void note_changed_files(struct session *session)
{
	char text[512];

	for (size_t i = 0; i < session->images.count; i++) {
		struct image *image = session->images.all[i];

		if (!image->changed || image->changed_noted)
			continue;
		snprintf(text, sizeof text,
			 "%.400s was written to meanwhile: what was met there later has no names.",
			 image->path);
		image->changed_noted = record_note(&session->record, "file_changed", NULL, text);
	}
}

void session_refresh_images(struct session *session)
{
	if (!session->images_void)
		return;
	session->images_void = false;
	if (session->executed) {
		session->executed = false;
		process_init(&session->process, session->process.pid);
		pictures_forget(&session->pictures);
		session->memory.readable = memory_allowed(session->process.pid);
		if (session->begun) {
			char program[4096];

			process_program(&session->process, program, sizeof program);
			record_executed(&session->record, program);
		}
		session->record.settling.has_runtime = false;
		for (uint32_t i = 0; i < session->threads.living_count; i++) {
			struct thread *thread = session->threads.all[session->threads.living[i]];

			process_thread_state_and_name(&session->process, thread->lwp, thread->name);
			thread->runtime = NONE;
			thread->pthread = 0;
			thread->told = thread->seen = false;
		}
	}
	if (images_refresh(&session->images)) {
		unwinder_forget(session->unwinder);
		leaf_callers_forget(&session->leaf_callers);
		frame_pointers_forget(&session->frame_pointers);
		codes_forget(&session->codes);
		close_names(session);
		interpreter_look(&session->python.interpreter);
	}
	if (session->memory.readable)
		interpreter_find(&session->python.interpreter, &session->images, &session->memory);
	if (pictures_find(&session->pictures))
		codes_forget(&session->codes);
	record_runtimes(&session->record);
	session->record.settling.looked = images_show_runtimes(&session->images);
	session->codes.runtimes = session->pictures.code;
	session->codes.runtime_count = session->pictures.code_count;
}

static void count_unseen(struct session *session)
{
	for (size_t i = 0; i < session->born_count; i++)
		session->unseen += !thread_by_lwp(&session->threads, session->born[i]);
	session->born_count = 0;
}

void session_refresh(struct session *session)
{
	const uint32_t before = session->threads.count;

	session_refresh_images(session);
	note_changed_files(session);
	/* perf tells of threads that ours begin. */
	if (session->clock != CLOCK_PERF || session->threads_void || session->born_count)
		threads_refresh(&session->threads, &session->process, now());
	session->threads_void = false;
	count_unseen(session);
	if (session->clock == CLOCK_PERF)
		refresh_clocks(session, before);
	note_left_out(session);
}

void session_note_missing(struct session *session)
{
	uint32_t left_out = 0;
	char text[160];

	for (uint32_t i = 0; i < session->threads.count && session->has_left_out; i++)
		left_out += !session->threads.all[i]->sampled;
	if (left_out) {
		snprintf(text, sizeof text, "%u of %u threads were not sampled.", left_out,
			 session->threads.count);
		record_note(&session->record, "threads_left_out", NULL, text);
	}
	if (session->unseen) {
		snprintf(text, sizeof text,
			 "At least %llu threads were gone before they were seen, which takes up to "
			 "%d ms: "
			 "what they did is not known.",
			 (unsigned long long)session->unseen, (int)(session->tick / MILLISECOND));
		record_note(&session->record, "threads_unseen", NULL, text);
	}
}

void session_sample_by_memory(struct session *session, struct thread *thread, uint64_t at)
{
	const struct seen *seen = history_nearest(&thread->history, at, ~0u);
	struct stack_told told = {.stack = NONE,
				  .caller = NONE,
				  .forks = NO_FORKS,
				  .state = OMPDX_STATE_UNDEFINED,
				  .doubt = ompdx_doubt_no_stack};

	session->samples++;
	thread->samples++;
	if (!seen)
		return;
	/* A thread that has come to no barrier may be at work, or wait for a lock or for tasks: not told. */
	if (seen->where == SEEN_IDLE)
		told.state = OMPDX_STATE_IDLE;
	if (seen->where == SEEN_AT_END) {
		told.state = OMPDX_STATE_WAIT_BARRIER_IMPLICIT_PARALLEL;
		told.wait = ompdx_wait_region;
	}
	if (told.state != OMPDX_STATE_UNDEFINED)
		told.doubt = ompdx_doubt_none;
	uint32_t number = intern(&session->tellings.told, &told, NULL);

	if (number == NONE)
		return;
	timeline_sample(&thread->timeline, at, PIECE_ON, number, REACH_SLEEP * session->tick,
			REACH_SLEEP * session->tick);
	timeline_sample(&thread->timeline, at, PIECE_ASLEEP, number, REACH_SLEEP * session->tick,
			REACH_SLEEP * session->tick);
	thread->timeline.sleep_told = NONE;
}

void session_close(struct session *session)
{
	if (session->clock == CLOCK_PERF)
		perf_deinit(&session->perf);
	record_deinit(&session->record);
	pictures_deinit(&session->pictures);
	threads_deinit(&session->threads);
	tellings_deinit(&session->tellings);
	codes_deinit(&session->codes);
	python_deinit(&session->python);
	unwinder_destroy(session->unwinder);
	for (size_t i = 0; i < session->images.count; i++)
		names_release(session->images.all[i]);
	images_deinit(&session->images);
	memory_deinit(&session->memory);
	free(session->born);
}
