/* SPDX-License-Identifier: Apache-2.0 */
#include "record/record.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clocks.h"
#include "base/grow.h"

/* Pictures and other threads' samples near to a moment add to what is known of it. */
#define LEARNT_WITHIN (2 * SECOND)

void record_init(struct record *record, int fd, struct codes *codes, struct tellings *tellings,
		 struct threads *threads, struct pictures *pictures)
{
	*record = (struct record){.threads = threads, .pictures = pictures, .start = now()};
	writer_init(&record->writer, fd);
	tables_init(&record->tables, &record->writer, codes, tellings, record->start);
	record->settling.stacks = (struct user_stacks){&record->tables, threads};
	record->settling.locks = &pictures->locks;
}

void record_deinit(struct record *record)
{
	for (size_t i = 0; i < record->rows_capacity; i++)
		free(record->rows[i].rows);
	free(record->rows);
	free(record->going_on.ranges);
	tables_deinit(&record->tables);
	writer_deinit(&record->writer);
}

static struct rows *rows_of(struct record *record, const struct thread *thread)
{
	while (thread->number >= record->rows_capacity)
		record->rows = grow_array(record->rows, record->rows_capacity,
					  &record->rows_capacity, sizeof *record->rows);
	struct rows *rows = &record->rows[thread->number];

	if (!rows->next)
		*rows = (struct rows){.next = thread->born, .activity = UINT64_MAX, .told = NONE};
	return rows;
}

enum { DURATION, ACTIVITY, SAMPLES, ROW };

static void add_row(struct record *record, struct rows *rows, const struct piece *piece,
		    uint32_t activity)
{
	uint64_t *last = rows->count ? &rows->rows[(rows->count - 1) * ROW] : NULL;

	rows->next = piece->end;
	record->samples += piece->samples;
	if (last && last[ACTIVITY] == activity) {
		last[DURATION] += piece->end - piece->start;
		last[SAMPLES] += piece->samples;
		return;
	}
	while ((rows->count + 1) * ROW > rows->capacity)
		rows->rows =
			grow_array(rows->rows, rows->capacity, &rows->capacity, sizeof *rows->rows);
	uint64_t *row = &rows->rows[rows->count++ * ROW];

	row[DURATION] = piece->end - piece->start;
	row[ACTIVITY] = activity;
	row[SAMPLES] = piece->samples;
}

/* It does what it did, all the time: a line for all such threads says so. */
static bool goes_on(const struct rows *rows, uint64_t before)
{
	return rows->count == 1 && rows->next == before && rows->rows[ACTIVITY] == rows->activity &&
	       !rows->rows[SAMPLES];
}

static void add_going_on(struct going_on *going_on, uint64_t thread)
{
	uint64_t *last = going_on->count ? going_on->ranges[going_on->count - 1] : NULL;

	if (last && last[1] + 1 == thread) {
		last[1] = thread;
		return;
	}
	going_on->ranges = grow_array(going_on->ranges, going_on->count, &going_on->capacity,
				      sizeof *going_on->ranges);
	going_on->ranges[going_on->count][0] = going_on->ranges[going_on->count][1] = thread;
	going_on->count++;
}

static void write_going_on(struct record *record, uint64_t until)
{
	struct going_on *going_on = &record->going_on;
	struct writer *writer = &record->writer;

	if (!going_on->count)
		return;
	line_begin(writer);
	put_number(writer, "go_on", until - record->start);
	put_open(writer, "threads", '[');
	for (size_t i = 0; i < going_on->count; i++)
		put_numbers(writer, NULL, going_on->ranges[i], 2);
	put_close(writer, ']');
	line_end(writer);
	going_on->count = 0;
}

static void write_rows(struct record *record, struct thread *thread, struct rows *rows,
		       uint64_t before)
{
	struct writer *writer = &record->writer;

	if (!rows->count)
		return;
	if (goes_on(rows, before)) {
		add_going_on(&record->going_on, thread->number);
		rows->count = 0;
		return;
	}
	rows->activity = rows->rows[(rows->count - 1) * ROW + ACTIVITY];
	line_begin(writer);
	put_number(writer, "segments", thread->number);
	put_number(writer, "start", rows->start - record->start);
	put_open(writer, "rows", '[');
	for (size_t i = 0; i < rows->count; i++)
		put_numbers(writer, NULL, &rows->rows[i * ROW], ROW);
	put_close(writer, ']');
	line_end(writer);
	rows->count = 0;
}

/* The sleep goes on that the same look has told before, so long ago that nothing will be learnt of that moment. */
static bool is_settled(const struct rows *rows, const struct piece *piece)
{
	return !rows->count && piece->kind == PIECE_ASLEEP && piece->state == PIECE_TOLD &&
	       rows->told != NONE && piece->told == rows->told &&
	       piece->sampled_at == rows->sampled_at;
}

/* In parts, if it waits for what others hold one after the other. */
static void add_piece(struct record *record, struct thread *thread, struct rows *rows,
		      const struct piece *piece)
{
	struct piece part = *piece;
	uint64_t until;

	if (is_settled(rows, piece)) {
		add_row(record, rows, piece, (uint32_t)rows->activity);
		return;
	}
	rows->told = piece->kind == PIECE_ASLEEP && piece->state == PIECE_TOLD &&
				     !settle_waits_for_lock(&record->settling, piece) &&
				     piece->end > piece->sampled_at + LEARNT_WITHIN
			     ? piece->told
			     : NONE;
	rows->sampled_at = piece->sampled_at;
	for (; part.start < piece->end; part.start = until) {
		const uint32_t holder = settle_holder(&record->settling, thread, &part, &until);

		/* What a line refers to stands before it. */
		if (holder != NONE)
			table_thread(&record->tables, record->threads->all[holder]);
		const uint32_t activity = settle(&record->settling, thread, &part, holder);

		part.end = until;
		part.samples = until == piece->end ? piece->samples : 0;
		if (activity != NONE)
			add_row(record, rows, &part, activity);
		else
			rows->told = NONE;
		part.end = piece->end;
	}
}

static void write_thread(struct record *record, struct thread *thread, uint64_t before)
{
	struct rows *rows = rows_of(record, thread);
	struct piece piece;
	size_t at = 0;

	table_thread(&record->tables, thread);
	rows->start = rows->next;
	while (timeline_take(&thread->timeline, &at, before, &piece))
		add_piece(record, thread, rows, &piece);
	timeline_drop(&thread->timeline, at);
	write_rows(record, thread, rows, before);
	if (!thread->gone || thread->gone_told || rows->next < thread->gone)
		return;
	line_begin(&record->writer);
	put_number(&record->writer, "gone", thread->number);
	put_number(&record->writer, "at", thread->gone - record->start);
	line_end(&record->writer);
	thread->gone_told = true;
	/* Of threads that come and go only their sums are kept. */
	timeline_deinit(&thread->timeline);
	free(rows->rows);
	*rows = (struct rows){.next = rows->next};
}

void record_runtimes(struct record *record)
{
	if (!record->begun)
		return;
	for (uint32_t i = 0; i < record->pictures->count; i++) {
		struct runtime *runtime = &record->pictures->runtimes[i];

		if (!runtime->told)
			table_runtime(&record->tables, runtime, now());
		runtime->told = true;
	}
	record->settling.has_runtime |= record->pictures->count != 0;
}

bool record_write(struct record *record, uint64_t before)
{
	uint64_t told = before;
	bool all_done = true;

	record_runtimes(record);
	settle_begin(&record->settling);
	for (uint32_t i = record->first_open; i < record->threads->count; i++) {
		struct thread *thread = record->threads->all[i];

		if (!thread->gone_told) {
			write_thread(record, thread, before);
			if (!thread->gone_told && record->rows[i].next < told)
				told = record->rows[i].next;
		}
		all_done &= thread->gone_told;
		if (all_done)
			record->first_open = i + 1;
	}
	write_going_on(record, before);
	line_begin(&record->writer);
	put_number(&record->writer, "told", told > record->start ? told - record->start : 0);
	line_end(&record->writer);
	return writer_flush(&record->writer);
}

static bool note(struct record *record, const char *code, struct thread *thread, const char *text,
		 const char *program)
{
	if (!record->begun)
		return false;
	/* What a line refers to stands before it. */
	record_runtimes(record);
	if (thread)
		table_thread(&record->tables, thread);
	line_begin(&record->writer);
	put_text(&record->writer, "note", code);
	put_number(&record->writer, "at", now() - record->start);
	put_text(&record->writer, "text", text);
	if (thread)
		put_number(&record->writer, "thread", thread->number);
	if (program)
		put_text(&record->writer, "program", program);
	line_end(&record->writer);
	return true;
}

bool record_note(struct record *record, const char *code, struct thread *thread, const char *text)
{
	return note(record, code, thread, text, NULL);
}

void record_executed(struct record *record, const char *program)
{
	char text[512];

	snprintf(text, sizeof text, "The process executes %.400s from here on.",
		 program[0] ? program : "another program");
	(void)note(record, "exec", NULL, text, program[0] ? program : NULL);
}

void record_rate(struct record *record, double rate, const char *why)
{
	line_begin(&record->writer);
	put_decimal(&record->writer, "rate", rate);
	put_number(&record->writer, "at", now() - record->start);
	put_text(&record->writer, "why", why);
	line_end(&record->writer);
}
