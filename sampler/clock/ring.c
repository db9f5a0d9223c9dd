/* SPDX-License-Identifier: Apache-2.0 */
#include "clock/ring.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/grow.h"

/* A switch, and that records before it are missing. */
#define FULL_BYTES 128

/* Some switches, and by how much a processor reads. */
#define EXPECTED_BYTES 256
#define LINE_BYTES 64

bool ring_map(struct ring *ring, int fd, size_t pages)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return false;
	*ring = (struct ring){memory, (uint8_t *)memory + page, pages * page, 0, 0, false, 0};
	return true;
}

void ring_unmap(struct ring *ring)
{
	if (ring->control)
		munmap(ring->control, ring->size + (size_t)sysconf(_SC_PAGESIZE));
	*ring = (struct ring){0};
}

static void copy_out(const struct ring *ring, uint64_t at, void *bytes, size_t size)
{
	size_t from = (size_t)(at & (ring->size - 1)), first = ring->size - from;

	if (first > size)
		first = size;
	memcpy(bytes, ring->data + from, first);
	memcpy((uint8_t *)bytes + first, ring->data, size - first);
}

/* What was lost until the ring was last found full, and emptied, is known by then: that records are missing stands in it only
 * as soon as another one has found room behind them. */
static uint64_t missing_since(const struct ring *ring, uint64_t time)
{
	return ring->full_at > ring->last ? time : ring->last;
}

static const struct perf_event_header *in_one_piece(const struct ring *ring, uint64_t at,
						    size_t size, struct records *records)
{
	size_t from = (size_t)(at & (ring->size - 1));

	if (from + size <= ring->size)
		return (const struct perf_event_header *)(const void *)(ring->data + from);
	uint8_t *copy = take_memory(size, 1);

	copy_out(ring, at, copy, size);
	records->copies = grow_array(records->copies, records->copy_count, &records->copy_capacity,
				     sizeof(uint8_t *));
	records->copies[records->copy_count++] = copy;
	return (const struct perf_event_header *)(const void *)copy;
}

bool ring_is_filling(const struct perf_event_mmap_page *control)
{
	const uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);

	return head - control->data_tail > control->data_size / 2;
}

void ring_expect(const struct ring *ring)
{
	const uint8_t *data = ring->data + (size_t)(ring->read_to & (ring->size - 1));

	__builtin_prefetch(&ring->control->data_head);
	for (size_t i = 0; i < EXPECTED_BYTES; i += LINE_BYTES)
		__builtin_prefetch(data + i);
}

/* Of other threads, or of the whole process: a birth, an end, what is mapped or executed. */
static bool concerns_others(uint32_t type)
{
	return type != PERF_RECORD_SAMPLE && type != PERF_RECORD_SWITCH && type != PERF_RECORD_LOST;
}

void ring_collect(struct ring *ring, uint64_t until, struct records *records)
{
	const uint64_t head = __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE);

	ring->read_to = ring->control->data_tail;
	ring->full = ring->size - (head - ring->read_to) < FULL_BYTES;
	while (ring->read_to + sizeof(struct perf_event_header) <= head) {
		struct perf_event_header header;
		struct record_id id;

		copy_out(ring, ring->read_to, &header, sizeof header);
		/* The kernel writes no such; a ring that says so is not followed. */
		if (header.size < sizeof header + sizeof id || header.size > head - ring->read_to) {
			ring->read_to = head;
			return;
		}
		copy_out(ring,
			 header.type == PERF_RECORD_SAMPLE
				 ? ring->read_to + sizeof header
				 : ring->read_to + header.size - sizeof id,
			 &id, sizeof id);
		if (id.time > until)
			return;
		records->mixed |= concerns_others(header.type) || id.time < ring->last;
		records->records = grow_array(records->records, records->count, &records->capacity,
					      sizeof *records->records);
		records->records[records->count] = (struct perf_record){
			id.time,
			missing_since(ring, id.time),
			(pid_t)id.pid,
			(pid_t)id.lwp,
			(uint32_t)records->count,
			in_one_piece(ring, ring->read_to, header.size, records)};
		ring->last = id.time;
		records->count++;
		ring->read_to += header.size;
	}
}

void ring_release(struct ring *ring)
{
	__atomic_store_n(&ring->control->data_tail, ring->read_to, __ATOMIC_RELEASE);
}

static int by_time(const void *left, const void *right)
{
	const struct perf_record *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

void records_sort(struct records *records)
{
	if (records->count)
		qsort(records->records, records->count, sizeof *records->records, by_time);
}

void records_clear(struct records *records)
{
	for (size_t i = 0; i < records->copy_count; i++)
		free(records->copies[i]);
	records->copy_count = records->count = 0;
	records->mixed = false;
}

void records_deinit(struct records *records)
{
	records_clear(records);
	free(records->copies);
	free(records->records);
}
