/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory through which the kernel hands us perf's records: they come in the order of their time.
 */
#ifndef SAMPLER_RING_H
#define SAMPLER_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event_mmap_page;
struct perf_event_header;

struct ring {
	struct perf_event_mmap_page *control;
	uint8_t *data;
	size_t size;
	uint64_t read_to; /* within a pass: where the next record begins */
	uint64_t last;    /* the moment of the last record that was read; 0: none was */
	bool full; /* within a pass: there was no room for another record, and more may be lost than it says */
	uint64_t full_at; /* when it was last */
};

/* A record, as it lies in its ring or, if it lies at the ring's two ends, in a copy. */
struct perf_record {
	uint64_t time;
	uint64_t since; /* from when on others are missing, if it says so; 0: from the beginning */
	pid_t pid, lwp;
	uint32_t order; /* of those of the same time */
	const struct perf_event_header *header;
};

/* The records of a pass, of all rings. */
struct records {
	struct perf_record *records;
	size_t count, capacity;
	uint8_t **copies;
	size_t copy_count, copy_capacity;
	bool mixed; /* not all are of their ring's own thread alone, and in order there */
};

/* pages: a power of two. false: refused, errno says why. */
bool ring_map(struct ring *ring, int fd, size_t pages);
void ring_unmap(struct ring *ring);

/* More than half of it is to be read. */
bool ring_is_filling(const struct perf_event_mmap_page *control);

/* It is read soon: of many threads each ring's memory has left the processor's caches since the last pass. */
void ring_expect(const struct ring *ring);

/* Adds its records up to the moment `until'. They are valid until ring_release. */
void ring_collect(struct ring *ring, uint64_t until, struct records *records);
void ring_release(struct ring *ring);

/* By time, those of all rings. */
void records_sort(struct records *records);
void records_clear(struct records *records);
void records_deinit(struct records *records);

/* How it was asked for (perf.c): what every record ends with, and samples begin with. */
struct record_id {
	uint32_t pid, lwp;
	uint64_t time;
};

#endif /* SAMPLER_RING_H */
