/* SPDX-License-Identifier: Apache-2.0
 *
 * The record's first line and its last ones.
 */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clocks.h"
#include "record/record.h"

static void put_setting(struct writer *writer, const char *name, int value)
{
	if (value == NOT_THERE)
		put_null(writer, name);
	else
		put_signed(writer, name, value);
}

static void put_settings(struct writer *writer, const struct settings *settings)
{
	put_open(writer, "settings", '{');
	put_setting(writer, "perf_event_paranoid", settings->perf_event_paranoid);
	put_setting(writer, "yama_ptrace_scope", settings->yama_ptrace_scope);
	if (settings->memlock_bytes == UINT64_MAX)
		put_null(writer, "memlock_bytes");
	else
		put_number(writer, "memlock_bytes", settings->memlock_bytes);
	put_number(writer, "uid", settings->uid);
	put_close(writer, '}');
}

static void put_arguments(struct writer *writer, const struct process *process)
{
	char text[4096];
	size_t size = process_arguments(process, text, sizeof text - 1);

	text[size] = 0;
	put_open(writer, "arguments", '[');
	for (size_t at = 0; at < size;) {
		put_text(writer, NULL, text + at);
		while (at < size && text[at])
			at++;
		at++;
	}
	put_close(writer, ']');
}

static void put_sentences(struct writer *writer, const char *name, const char *const *sentences,
			  size_t count)
{
	put_open(writer, name, '[');
	for (size_t i = 0; i < count; i++)
		put_text(writer, NULL, sentences[i]);
	put_close(writer, ']');
}

static void put_moment(struct writer *writer, uint64_t start)
{
	const uint64_t realtime = clock_ns(CLOCK_REALTIME) - (now() - start);
	const time_t seconds = (time_t)(realtime / SECOND);
	char date[40], text[64];
	struct tm parts;

	gmtime_r(&seconds, &parts);
	strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(text, sizeof text, "%s.%09uZ", date, (unsigned)(realtime % SECOND));
	put_text(writer, "start", text);
	put_text_number(writer, "realtime", realtime);
	put_text_number(writer, "monotonic", start);
}

void record_begin(struct record *record, const struct process *process,
		  const struct settings *settings, const struct record_way *way)
{
	struct writer *writer = &record->writer;
	char path[4096];
	struct utsname system;

	uname(&system);
	process_program(process, path, sizeof path);
	record->settling.kernel_samples = way->kernel_samples;
	line_begin(writer);
	put_text(writer, "schema", "ompd-record/1");
	put_text(writer, "program", path[0] ? path : NULL);
	put_arguments(writer, process);
	put_number(writer, "pid", (uint64_t)process->pid);
	put_text(writer, "host", system.nodename);
	put_text(writer, "machine", system.machine);
	put_number(writer, "processors", (uint64_t)settings->processors);
	put_moment(writer, record->start);
	put_text(writer, "clock", way->clock);
	put_bool(writer, "kernel_samples", way->kernel_samples);
	put_bool(writer, "switches", strcmp(way->clock, "perf") == 0);
	put_bool(writer, "memory", way->memory);
	put_open(writer, "rate", '{');
	put_decimal(writer, "asked", way->rate_asked);
	put_decimal(writer, "got", way->rate);
	put_close(writer, '}');
	put_decimal(writer, "view_rate", way->view_rate);
	if (way->budget > 0)
		put_decimal(writer, "budget", way->budget);
	else
		put_null(writer, "budget");
	put_settings(writer, settings);
	put_sentences(writer, "limits", way->limits, way->limit_count);
	put_sentences(writer, "how", way->how, way->how_count);
	line_end(writer);
	record->begun = true;
}

static void put_sums(struct record *record, const struct thread *thread, uint64_t at)
{
	struct writer *writer = &record->writer;
	const struct timeline *timeline = &thread->timeline;

	line_begin(writer);
	put_number(writer, "sums", thread->number);
	put_number(writer, "wall", (thread->gone ? thread->gone : at) - thread->born);
	put_number(writer, "on", timeline->on);
	if (thread->schedule_known) {
		put_number(writer, "schedstat_on", thread->schedule_on);
		put_number(writer, "schedstat_delay", thread->schedule_delay);
	} else {
		put_null(writer, "schedstat_on");
		put_null(writer, "schedstat_delay");
	}
	put_number(writer, "preempted", timeline->preempted);
	put_number(writer, "samples", thread->samples);
	put_number(writer, "asleep_samples", thread->asleep_samples);
	put_number(writer, "lost", thread->lost);
	put_number(writer, "cut", thread->cut);
	put_number(writer, "untold", timeline->untold);
	put_number(writer, "missing", timeline->lost);
	line_end(writer);
}

static void put_signed_or_null(struct writer *writer, const char *name, int value)
{
	if (value < 0)
		put_null(writer, name);
	else
		put_signed(writer, name, value);
}

bool record_end(struct record *record, const struct record_end *end, uint64_t at)
{
	struct writer *writer = &record->writer;
	const double wall = (double)(at - record->start);

	for (uint32_t i = 0; i < record->threads->count; i++)
		put_sums(record, record->threads->all[i], at);
	line_begin(writer);
	put_number(writer, "end", at - record->start);
	put_text(writer, "how", end->how);
	put_text(writer, "text", end->text);
	put_signed_or_null(writer, "status", end->status);
	put_signed_or_null(writer, "signal", end->signal);
	put_number(writer, "samples", end->samples);
	put_number(writer, "lost", end->lost);
	put_number(writer, "cut", end->cut);
	put_number(writer, "stacks", end->stacks);
	put_number(writer, "in_rows", record->samples);
	put_number(writer, "views", record->pictures->taken);
	put_number(writer, "views_failed", record->pictures->failed);
	put_open(writer, "sampler", '{');
	put_number(writer, "processor", end->processor);
	put_decimal(writer, "percent", wall > 0 ? 100 * (double)end->processor / wall : 0);
	put_decimal(writer, "us_per_sample", end->us_per_sample);
	put_number(writer, "memory_bytes", end->memory_bytes);
	put_close(writer, '}');
	line_end(writer);
	return writer_flush(writer);
}
