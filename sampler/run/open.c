/* SPDX-License-Identifier: Apache-2.0
 *
 * What is allowed, which clock that makes, and the sentences that say so.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clocks.h"
#include "base/say.h"
#include "names/names.h"
#include "run/session.h"

/* Pictures of the runtime, at most. */
#define VIEW_RATE 50
#define TICKS_PERF 20
#define TICKS_STOPS 100
#define TICKS_MEMORY 100

static void limit(struct session *session, const char *sentence)
{
	if (session->way.limit_count < sizeof session->way.limits / sizeof *session->way.limits)
		session->way.limits[session->way.limit_count++] = sentence;
}

static void how(struct session *session, const char *sentence)
{
	if (session->way.how_count < sizeof session->way.how / sizeof *session->way.how)
		session->way.how[session->way.how_count++] = sentence;
}

static bool is_foreign(const struct session *session)
{
	const int64_t owner = process_owner(&session->process);

	return !session->settings.perf_privileged && owner >= 0 &&
	       owner != (int64_t)session->settings.uid;
}

/* Why perf was refused: text lives as long as the sampler. */
static const char *perf_refusal(const struct session *session, int error)
{
	static char text[256];
	const int paranoid = session->settings.perf_event_paranoid;

	if (paranoid == NOT_THERE)
		return "This kernel has no perf events.";
	if (error == ENOSYS)
		snprintf(text, sizeof text,
			 "perf is refused although kernel.perf_event_paranoid is %d: a seccomp "
			 "filter (a container's) hides perf_event_open.",
			 paranoid);
	else if (paranoid > 2 && !session->settings.perf_privileged)
		snprintf(text, sizeof text,
			 "perf is refused: kernel.perf_event_paranoid is %d; `sysctl "
			 "kernel.perf_event_paranoid=2' "
			 "allows it for one's own programs.",
			 paranoid);
	else if (error == EPERM || error == EACCES)
		snprintf(text, sizeof text,
			 "perf is refused although kernel.perf_event_paranoid is %d: %sa seccomp "
			 "filter (a container's) or a security module forbids perf_event_open.",
			 paranoid, is_foreign(session) ? "the process is another user's, or " : "");
	else
		snprintf(text, sizeof text, "perf is refused: %s.", strerror(error));
	return text;
}

static const char *memory_refusal(const struct session *session)
{
	static char text[256];

	if (session->settings.yama_ptrace_scope > 0)
		snprintf(text, sizeof text,
			 "The process's memory may not be read: kernel.yama.ptrace_scope is %d; "
			 "`sysctl kernel.yama.ptrace_scope=0', or ompd starting the program, "
			 "allows it.",
			 session->settings.yama_ptrace_scope);
	else
		snprintf(text, sizeof text,
			 "The process's memory may not be read: %sa seccomp filter (a container's) "
			 "or a security module forbids process_vm_readv.",
			 is_foreign(session) ? "it is another user's, or " : "");
	return text;
}

static bool try_perf(struct session *session, int *error)
{
	enum perf_answer answer =
		perf_init(&session->perf, session->process.pid, session->options.rate, TICKS_PERF);

	*error = errno;
	if (answer == PERF_OK)
		return true;
	perf_deinit(&session->perf);
	if (answer == PERF_GONE)
		fail(EXIT_NO_PROCESS, "Process %d has ended.", session->process.pid);
	return false;
}

static void use_perf(struct session *session)
{
	session->clock = CLOCK_PERF;
	session->tick = SECOND / TICKS_PERF;
	session->way.clock = "perf";
	session->way.kernel_samples = session->perf.kernel;
	how(session, "The kernel samples each thread by its time on a processor and notes when it "
		     "gets one and loses it "
		     "(perf, cpu-clock); nothing is stopped, signalled or written.");
	if (!session->perf.kernel)
		limit(session, "Time in the kernel is told as \"kernel\", not by what the program "
			       "wanted of it: "
			       "kernel.perf_event_paranoid is above 1, or CAP_PERFMON is missing.");
}

static void use_stops(struct session *session)
{
	session->clock = CLOCK_STOPS;
	session->tick = SECOND / TICKS_STOPS;
	session->way.clock = "stops";
	session->way.kernel_samples = true;
	how(session,
	    "A thread that runs is stopped for each of its samples, as often as the budget allows; "
	    "time on a "
	    "processor is by schedstat, and its place within a tenth of a second is not exact.");
}

static void use_memory(struct session *session)
{
	session->clock = CLOCK_MEMORY;
	session->tick = SECOND / TICKS_MEMORY;
	session->way.clock = "memory";
	session->way.kernel_samples = true;
	how(session, "Only the runtime's memory tells: who is idle and who has come to the end of "
		     "its region; work, locks, "
		     "other waits and places in the code are not known.");
}

/* What would have to be said twice: perf and memory are refused for the same reason. */
static void fail_if_foreign(const struct session *session)
{
	if (session->settings.uid != 0 && is_foreign(session))
		fail(EXIT_NOT_ALLOWED,
		     "Process %d is of another user (uid %lld): only they and root may sample "
		     "it.",
		     session->process.pid, (long long)process_owner(&session->process));
}

/* The best that is allowed, or the one that was asked for. */
static void choose(struct session *session, bool own)
{
	const enum clock_kind asked = session->options.clock;
	const char *why_not = NULL;
	int error = 0;

	if (asked == CLOCK_BEST || asked == CLOCK_PERF) {
		if (try_perf(session, &error)) {
			use_perf(session);
			return;
		}
		why_not = perf_refusal(session, error);
		if (asked == CLOCK_PERF)
			fail(EXIT_NOT_ALLOWED, "%s", why_not);
		limit(session, why_not);
	}
	if (!session->memory.readable) {
		fail_if_foreign(session);
		fail(EXIT_NOT_ALLOWED, "%s%s%s", why_not ? why_not : "", why_not ? " " : "",
		     memory_refusal(session));
	}
	if (asked == CLOCK_STOPS || (asked == CLOCK_BEST && own)) {
		if (!own)
			fail(EXIT_NOT_ALLOWED, "Only a program that the sampler starts is stopped "
					       "for samples: -- PROGRAM.");
		use_stops(session);
	} else {
		use_memory(session);
	}
}

static void describe(struct session *session)
{
	struct record_way *way = &session->way;

	way->memory = session->memory.readable;
	way->rate_asked = session->options.rate;
	way->rate = session->rate;
	way->view_rate = session->view_rate;
	way->budget = session->options.budget;
	if (session->memory.readable)
		how(session, "Sleeping threads are told by their system call and their stack's "
			     "memory, and who is in which "
			     "region by pictures of the runtime's memory.");
	else
		limit(session, memory_refusal(session));
}

/* What takes long is done before the first sample, of which the rings hold few. */
static void prepare_names(struct session *session)
{
	session_refresh_images(session);
	for (size_t i = 0; i < session->images.mapping_count; i++)
		name_function(session->images.mappings[i].image, session->images.mappings[i].start);
}

void session_open(struct session *session, const struct options *options, pid_t pid, int fd)
{
	*session = (struct session){.options = *options,
				    .rate = options->rate,
				    .sleeper_turns = 1,
				    .images_void = true,
				    .threads_void = true};
	settings_read(&session->settings);
	if (!process_init(&session->process, pid))
		fail(EXIT_NO_PROCESS, "There is no process %d.", pid);
	memory_init(&session->memory, pid, memory_allowed(pid));
	choose(session, options->program != NULL);
	if (session->clock != CLOCK_PERF && session->rate > (double)SECOND / (double)session->tick)
		session->rate = (double)SECOND / (double)session->tick;
	session->period = (uint64_t)((double)SECOND / session->rate);
	session->view_rate = session->memory.readable ? (double)SECOND / (double)session->tick : 0;
	if (session->view_rate > VIEW_RATE)
		session->view_rate = VIEW_RATE;
	describe(session);
	images_init(&session->images, &session->process, &session->memory);
	session->leaf_callers.images = &session->images;
	session->frame_pointers.images = &session->images;
	python_init(&session->python, &session->images, &session->memory);
	codes_init(&session->codes, &session->images, &session->memory, &session->python.objects);
	tellings_init(&session->tellings, &session->codes, &session->memory);
	session->unwinder = unwinder_create((struct cfi_source){images_cfi, &session->images});
	unwinder_ask(session->unwinder,
		     (struct frame_finder){frame_pointer_find, &session->frame_pointers});
	threads_init(&session->threads);
	pictures_init(&session->pictures, &session->process, &session->memory, &session->images,
		      &session->threads);
	prepare_names(session);
	record_init(&session->record, fd, &session->codes, &session->tellings, &session->threads,
		    &session->pictures);
	session->record.settling.knows_on = true;
	session->record.settling.sample_reach = session->period / 2;
	session->record.settling.looked = images_show_runtimes(&session->images);
	session->pictures.region_seen = session_learn_source;
	session->pictures.context = session;
}

void session_begin(struct session *session)
{
	record_begin(&session->record, &session->process, &session->settings, &session->way);
}
