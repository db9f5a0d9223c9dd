/* SPDX-License-Identifier: Apache-2.0 */
#include "run/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clocks.h"
#include "clock/stops.h"
#include "run/budget.h"
#include "run/signals.h"
#include "threads/counted.h"

/* What is younger is not written yet: the samples and pictures that tell it may still come. */
#define LAG (120 * MILLISECOND)

/* What is older is told by no sample any more. */
#define PATIENCE SECOND

/* The period of samples changes so often, and so much, that no period of the program's stays in step with it. */
#define PHASE_LEAST (300 * MILLISECOND)
#define PHASE_MOST (700 * MILLISECOND)
#define PERIOD_LEAST 0.8
#define PERIOD_MOST 1.2

#define IMAGES_EVERY SECOND
/* perf tells of what is mapped: what remains is what is mapped no more. */
#define IMAGES_EVERY_PERF (2 * SECOND)

/* All threads' counts are of one moment if they were read within so long; so often it is tried. */
#define AT_ONCE MILLISECOND
#define AT_ONCE_EACH (20 * UINT64_C(1000))
/* Files that may be read to know of all threads' times at one moment: of few threads they can be read again. */
#define SCHEDULE_READS 4000
#define SCHEDULE_TRIES 20

/* The first pictures are the dearest, and no measure: a program of some milliseconds has no others. */
#define FIRST_VIEWS (20 * MILLISECOND)
#define VIEW_PAUSE_MOST (100 * MILLISECOND)

/* Of more threads not all are looked at once more at the end. */
#define LAST_LOOKS 1000

#define EARLY_TICK (4 * MILLISECOND)

/* Of the budget, what may go into rings that fill up between two passes. */
#define DRAINS_SHARE 0.25

/* Passes are not rarer than that while threads begin, nor if some ring cannot tell that it has to be emptied. */
#define SURE_TICK (100 * MILLISECOND)

struct loop {
	struct session *session;
	struct launch *launch;
	struct sink sink;
	struct stops stops;
	struct budget budget;
	uint64_t end; /* 0: none */
	uint64_t next_tick, next_view, next_flush, next_phase, next_images;
	size_t turn; /* which thread is stopped next */
	uint64_t stop_time;
	const char *how, *text;
};

static double random_between(double least, double most)
{
	return least + (most - least) * (double)rand() / RAND_MAX;
}

static uint64_t least_time(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A signal ends it early, which the loop notices. */
static void sleep_until(uint64_t moment)
{
	const struct timespec at = {(time_t)(moment / SECOND), (long)(moment % SECOND)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* Threads that are always at work fill their rings sooner where passes are rare: those are emptied, without a pass through all
 * threads. As long as it costs little: what switches without end is lost rather than to take a processor. */
static void empty_until_tick(struct loop *loop)
{
	struct session *session = loop->session;
	const uint64_t before = own_processor_time();
	const uint64_t most = before + (uint64_t)(DRAINS_SHARE * session->options.budget / 100 *
						  (double)session->tick);
	uint64_t used = before;

	while (used < most && perf_wait(&session->perf, loop->next_tick)) {
		perf_drain_filling(&session->perf, now(), session->process.pid, &loop->sink);
		session_guess_anew(session);
		used = own_processor_time();
	}
	session->sample_processor += used - before;
}

static void wait_for_tick(struct loop *loop)
{
	const struct session *session = loop->session;

	if (session->clock == CLOCK_PERF && session->tick > SURE_TICK)
		empty_until_tick(loop);
	if (!signals_ask_to_end())
		sleep_until(loop->next_tick);
}

/* A thread that has so little of a processor that no sample has come since its clock was set goes on with that: else none
 * would ever come. */
static bool clock_is_due(void *context, pid_t lwp)
{
	struct session *session = context;
	struct thread *thread = thread_by_lwp(&session->threads, lwp);

	if (!thread || thread->last_sample < thread->clock_set_at)
		return false;
	thread->clock_set_at = session->period_set_at;
	thread->period_before = thread->period;
	thread->period = session->period;
	return true;
}

/* Another length, and the clocks begin anew, together. */
static void change_phase(struct loop *loop, uint64_t at)
{
	struct session *session = loop->session;

	if (at < loop->next_phase)
		return;
	loop->next_phase = at + (uint64_t)random_between((double)PHASE_LEAST, (double)PHASE_MOST);
	session->period = (uint64_t)((double)SECOND / session->rate *
				     random_between(PERIOD_LEAST, PERIOD_MOST));
	session->period_set_at = at;
	if (session->clock == CLOCK_PERF)
		perf_set_period(&session->perf, session->period, clock_is_due, session);
}

/* A program that just begins may end soon. */
static uint64_t soon(const struct loop *loop, uint64_t at, uint64_t most)
{
	return at + least_time(most, EARLY_TICK + (at - loop->session->record.start) / 4);
}

/* Before it is known what they take in the long run, none but the first few gets more than the whole budget. */
static uint64_t after_view(const struct loop *loop, uint64_t at, uint64_t cost)
{
	const struct session *session = loop->session;
	const uint64_t next = soon(loop, at, (uint64_t)((double)SECOND / session->view_rate));
	const double budget = session->options.budget;

	if (budget <= 0 || at - session->record.start < FIRST_VIEWS)
		return next;
	const uint64_t fair =
		at + least_time((uint64_t)((double)cost * 100 / budget), VIEW_PAUSE_MOST);

	return fair > next ? fair : next;
}

static void take_view(struct loop *loop, uint64_t at)
{
	struct session *session = loop->session;
	const uint64_t before = own_processor_time();

	if (at < loop->next_view || session->view_rate <= 0 || !pictures_take(&session->pictures))
		return;
	const uint64_t cost = own_processor_time() - before;

	loop->budget.view_cost =
		loop->budget.view_cost ? (loop->budget.view_cost * 7 + cost) / 8 : cost;
	loop->next_view = after_view(loop, at, cost);
}

static struct thread *living(const struct session *session, size_t index)
{
	return session->threads.all[session->threads.living[index]];
}

/* Threads in turn, those that run, as long as the budget lasts. */
static void stop_some(struct loop *loop, uint64_t at)
{
	struct session *session = loop->session;
	const double share = session->options.budget > 0 ? session->options.budget / 100 : 1;
	const uint64_t until = now() + (uint64_t)(share * (double)session->tick);
	struct sample sample;

	stops_release(&loop->stops);
	for (size_t i = 0; i < session->threads.living_count; i++) {
		struct thread *thread =
			living(session, loop->turn++ % session->threads.living_count);

		if (i && now() >= until)
			break;
		if (!process_thread_runs(&session->process, thread->lwp) ||
		    stop_and_sample(&loop->stops, thread->lwp, &sample) != STOP_OK)
			continue;
		sample.time = at;
		session_sample(session, thread, &sample);
	}
}

static void pass_by_stops(struct loop *loop, uint64_t at)
{
	struct session *session = loop->session;

	for (size_t i = 0; i < session->threads.living_count; i++)
		thread_spread_schedule(living(session, i), &session->process, at);
	stop_some(loop, at);
	session_look_at_sleepers(session, at);
}

static void pass_by_memory(struct loop *loop, uint64_t at)
{
	struct session *session = loop->session;

	for (size_t i = 0; i < session->threads.living_count; i++) {
		thread_spread_schedule(living(session, i), &session->process, at);
		session_sample_by_memory(session, living(session, i), at);
	}
}

static void pass_by_perf(struct loop *loop, uint64_t at)
{
	struct session *session = loop->session;

	for (size_t i = 0; i < session->threads.living_count; i++)
		timeline_expect(&living(session, i)->timeline);
	perf_drain(&session->perf, at, session->process.pid, &loop->sink);
	threads_drop_ended(&session->threads);
	session_guess_anew(session);
	for (size_t i = 0; i < session->threads.living_count; i++) {
		if (living(session, i)->sampled)
			thread_fill(living(session, i), at);
	}
	session_spread_left_out(session, at);
	session_look_at_sleepers(session, at);
}

static void pass(struct loop *loop, uint64_t at)
{
	struct session *session = loop->session;

	if (at >= loop->next_images) {
		session->images_void = true;
		/* Of births and ends of those that it samples perf tells, too. */
		session->threads_void |=
			session->clock != CLOCK_PERF || session->is_full ||
			process_thread_count(&session->process) != session->threads.living_count;
		loop->next_images = session->clock == CLOCK_PERF ? at + IMAGES_EVERY_PERF
								 : soon(loop, at, IMAGES_EVERY);
	}
	take_view(loop, at);
	const uint64_t before = own_processor_time();

	switch (session->clock) {
	case CLOCK_STOPS:
		pass_by_stops(loop, at);
		break;
	case CLOCK_MEMORY:
		pass_by_memory(loop, at);
		break;
	default:
		pass_by_perf(loop, at);
	}
	session->sample_processor += own_processor_time() - before;
	session_refresh(session);
	change_phase(loop, at);
}

/* Its moment: when records have to be written, what is needed for that has been read by then. */
static uint64_t begin_pass(struct loop *loop)
{
	if (loop->session->clock == CLOCK_PERF && now() >= loop->next_flush)
		counted_read(&loop->session->threads, &loop->session->process);
	return now();
}

/* Where sleepers are looked at so seldom each that they would stay untold until their turn, it is waited for. Not from the
 * beginning on: what is told first would come late. */
static uint64_t patience(const struct loop *loop)
{
	const uint64_t round = (uint64_t)((double)loop->session->tick * loop->budget.most_turns);

	return loop->budget.is_scarce && round + round / 4 > PATIENCE ? round + round / 4
								      : PATIENCE;
}

static bool flush(struct loop *loop, uint64_t at)
{
	struct session *session = loop->session;

	if (at < loop->next_flush)
		return true;
	loop->next_flush = at + (uint64_t)(session->options.flush * (double)SECOND);
	for (uint32_t i = session->record.first_open; i < session->threads.count; i++) {
		struct thread *thread = session->threads.all[i];
		struct timeline *timeline = &thread->timeline;

		/* Where it is runnable, and no sample has come, it need not have had a processor. */
		if (!thread->gone && timeline->guessed && timeline->kind == PIECE_ON &&
		    at - timeline->guessed_from > PATIENCE)
			timeline_lose(timeline, timeline->guessed_from, at);
		counted_settle(thread);
		timeline_close(timeline, at - patience(loop));
	}
	return record_write(&session->record, at - LAG);
}

static bool is_over(struct loop *loop, uint64_t at)
{
	struct session *session = loop->session;

	if (signals_ask_to_end()) {
		loop->how = "interrupted";
		loop->text = "The sampler was told to end.";
	} else if (loop->launch && launch_ended(loop->launch)) {
		bool killed = WIFSIGNALED(loop->launch->status);

		loop->how = killed ? "killed" : "exited";
		loop->text =
			killed ? "The program was ended by a signal." : "The program has ended.";
	} else if (!loop->launch && !process_lives(&session->process)) {
		loop->how = "gone";
		loop->text = "The process has ended.";
	} else if (loop->end && at >= loop->end) {
		loop->how = "duration";
		loop->text = "The time that was asked for is over.";
	}
	return loop->how != NULL;
}

/* The most that it ever was. getrusage tells that of whoever has started us, if that is more. */
static uint64_t own_memory(void)
{
	const struct process self = {.pid = getpid()};

	return process_status(&self, "VmHWM", 10) * 1024;
}

/* What the kernel has counted, of one moment: on a busy machine we may lose the processor in between, and try again. */
static uint64_t read_schedules(const struct session *session)
{
	const uint64_t at_once = AT_ONCE + session->threads.living_count * AT_ONCE_EACH;
	uint64_t at = 0;
	size_t reads = 0;

	for (uint32_t i = 0; i < session->threads.count; i++)
		session->threads.all[i]->schedule_known = false;
	for (int tries = 0; tries < SCHEDULE_TRIES; tries++) {
		reads += session->threads.living_count;
		const uint64_t before = now();

		for (size_t i = 0; i < session->threads.living_count; i++) {
			thread_read_schedule(living(session, i), &session->process);
			living(session, i)->is_counted = living(session, i)->sampled;
		}
		at = now();
		if (at - before < at_once || reads > SCHEDULE_READS)
			break;
	}
	return at;
}

/* All that is left is written, told or not. */
static bool finish(struct loop *loop)
{
	struct session *session = loop->session;
	const uint64_t at = read_schedules(session);

	if (session->clock == CLOCK_PERF)
		perf_drain(&session->perf, at, session->process.pid, &loop->sink);
	threads_drop_ended(&session->threads);
	session_note_missing(session);
	for (size_t i = 0; i < session->threads.living_count; i++) {
		struct thread *thread = living(session, i);

		if (session->clock == CLOCK_PERF && !thread->sampled)
			thread_spread_schedule(thread, &session->process, at);
		thread_fill(thread, at);
	}
	/* Those whose turn has not come since they fell asleep. */
	session->sleeper_turns = 1 + session->threads.living_count / LAST_LOOKS;
	if (session->clock != CLOCK_MEMORY)
		session_look_at_sleepers(session, at);
	for (uint32_t i = session->record.first_open; i < session->threads.count; i++) {
		counted_settle(session->threads.all[i]);
		timeline_close(&session->threads.all[i]->timeline, at + 1);
	}
	if (session->clock == CLOCK_STOPS)
		stops_deinit(&loop->stops);
	const struct launch *launch = loop->launch;
	const bool ended = launch && launch->ended;
	const struct record_end end = {
		.how = loop->how,
		.text = loop->text,
		.status = ended && WIFEXITED(launch->status) ? WEXITSTATUS(launch->status) : -1,
		.signal = ended && WIFSIGNALED(launch->status) ? WTERMSIG(launch->status) : -1,
		.samples = session->samples,
		.lost = session->lost,
		.cut = session->cut,
		.stacks = session->stacks,
		.processor = own_processor_time(),
		.us_per_sample = session->samples ? (double)session->sample_processor / 1000 /
							    (double)session->samples
						  : 0,
		.memory_bytes = own_memory(),
	};

	return record_write(&session->record, at) && record_end(&session->record, &end, at);
}

static uint64_t tick_after(const struct session *session, bool some_began)
{
	return some_began || !session->perf.tells_of_all ? least_time(session->tick, SURE_TICK)
							 : session->tick;
}

static enum exit_status failure(const struct session *session)
{
	const int error = session->record.writer.error;

	if (error == EPIPE)
		return EXIT_NO_READER;
	say("The record cannot be written: %s.", strerror(error));
	return EXIT_NOT_WRITTEN;
}

enum exit_status loop_run(struct session *session, struct launch *launch)
{
	struct loop loop = {.session = session, .launch = launch, .sink = session_sink(session)};
	const uint64_t start = session->record.start;

	if (session->clock == CLOCK_STOPS)
		stops_init(&loop.stops, &session->memory, session->process.pid);
	srand((unsigned)start);
	if (!launch)
		session_begin(session);
	session_refresh(session);
	if (launch) {
		launch_go(launch, session->options.program[0]);
		/* perf tells of it, too, in time. */
		session->images_void = session->executed = session->clock != CLOCK_PERF;
		session_begin(session);
	}
	session_begin_looks(session);
	if (session->options.seconds > 0)
		loop.end = start + (uint64_t)(session->options.seconds * (double)SECOND);
	loop.next_flush = start + (uint64_t)(session->options.flush * (double)SECOND);
	loop.next_images = soon(&loop, start, IMAGES_EVERY);
	budget_init(&loop.budget);
	for (uint64_t at = begin_pass(&loop); !is_over(&loop, at); at = begin_pass(&loop)) {
		const uint32_t known = session->threads.count;

		pass(&loop, at);
		budget_keep(&loop.budget, session, at);
		session->begun = true;
		if (!flush(&loop, at))
			return failure(session);
		/* A pass that was late is not made up for. */
		loop.next_tick =
			soon(&loop, at, tick_after(session, session->threads.count != known));
		if (loop.end && loop.end < loop.next_tick)
			loop.next_tick = loop.end;
		wait_for_tick(&loop);
	}
	return finish(&loop) ? EXIT_WHOLE : failure(session);
}
