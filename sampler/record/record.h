/* SPDX-License-Identifier: Apache-2.0
 *
 * The record as a whole: docs/record-format.md.
 */
#ifndef SAMPLER_RECORD_H
#define SAMPLER_RECORD_H

#include "record/settle.h"
#include "target/settings.h"

/* How it is made. */
struct record_way {
	const char *clock; /* "perf", "stops", "memory" */
	bool kernel_samples, memory;
	double rate_asked, rate, view_rate, budget; /* budget 0: none */
	const char *limits[16];
	size_t limit_count;
	const char *how[16];
	size_t how_count;
};

/* Of a thread, in the record: */
struct rows {
	uint64_t next; /* where its next row begins */
	uint64_t start;
	uint64_t *rows; /* duration, activity, samples */
	size_t count, capacity;
	uint64_t activity; /* of the last that is in the record */
	/* What told the last piece, of which nothing will be known any more; NONE: more may be. */
	uint32_t told;
	uint64_t sampled_at;
};

/* Threads whose last row goes on, by number: the first and the last of those that follow each other. */
struct going_on {
	uint64_t (*ranges)[2];
	size_t count, capacity;
};

struct record {
	struct writer writer;
	struct tables tables;
	struct settling settling;
	struct threads *threads;
	struct pictures *pictures;
	uint64_t start;
	bool begun;        /* its first line is there */
	struct rows *rows; /* by thread */
	size_t rows_capacity;
	struct going_on going_on; /* in this flush */
	uint64_t samples;         /* of all rows */
	uint32_t first_open;      /* all threads before it are done with */
};

/* What is told at the end beside what the record knows. */
struct record_end {
	const char *how, *text;
	int status, signal; /* -1: none */
	uint64_t samples, lost, cut, stacks;
	uint64_t processor;
	double us_per_sample;
	uint64_t memory_bytes;
};

void record_init(struct record *record, int fd, struct codes *codes, struct tellings *tellings,
		 struct threads *threads, struct pictures *pictures);
void record_deinit(struct record *record);

void record_begin(struct record *record, const struct process *process,
		  const struct settings *settings, const struct record_way *way);

/* Writes what is known of the time before the moment. false: it cannot be written. */
bool record_write(struct record *record, uint64_t before);
bool record_end(struct record *record, const struct record_end *end, uint64_t at);

/* Those that were found since it was called last, when it has begun. */
void record_runtimes(struct record *record);

/* false: the record has not begun. */
bool record_note(struct record *record, const char *code, struct thread *thread, const char *text);
void record_executed(struct record *record, const char *program);
void record_rate(struct record *record, double rate, const char *why);

#endif /* SAMPLER_RECORD_H */
