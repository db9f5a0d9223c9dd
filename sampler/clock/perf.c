/* SPDX-License-Identifier: Apache-2.0 */
#include "clock/perf.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clocks.h"
#include "base/grow.h"

/* Beside the stack a sample has its registers and its length. */
#define SAMPLE_BYTES_BESIDE 512
/* For records of switches, and for passes that come late. */
#define RING_RESERVE 3
#define RING_PAGES_LEAST 8
/* A user may lock that much for each processor: 516 KiB, with the page that controls it. */
#define SHARED_RING_PAGES 128
/* Is asked for before it is its turn. */
#define RINGS_AHEAD 4
/* Some thousand threads: with more they share rings, which then are as many as processors. */
#define OWN_BYTES_MOST ((size_t)256 << 20)
/* Beside the clocks' descriptors: for /proc, the record, files of which names are read. */
#define OTHER_FDS 128

/* The kernel tells whenever another part of so many of a ring has been written. */
#define WATERMARKS 4
/* Rings that are looked at, of those that it tells of at once. */
#define FILLING_MOST 64

static size_t ring_pages(const struct perf *perf, uint32_t stack_bytes)
{
	double bytes = RING_RESERVE * perf->rate / perf->drains *
		       (double)(stack_bytes + SAMPLE_BYTES_BESIDE);
	size_t pages = RING_PAGES_LEAST;

	while ((double)pages * (double)sysconf(_SC_PAGESIZE) < bytes)
		pages *= 2;
	return pages;
}

static uint32_t watermark(size_t pages)
{
	return (uint32_t)(pages * (size_t)sysconf(_SC_PAGESIZE) / WATERMARKS);
}

static struct perf_event_attr attributes(const struct perf *perf, uint32_t stack_bytes)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = perf->period,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER |
			       PERF_SAMPLE_STACK_USER,
		.sample_regs_user = this_machine.perf_mask,
		.sample_stack_user = stack_bytes,
		.exclude_kernel = !perf->kernel,
		.exclude_hv = 1,
		.disabled = 1,
		.sample_id_all = 1,
		.context_switch = 1,
		.mmap = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = watermark(ring_pages(perf, stack_bytes)),
	};
}

static int open_event(const struct perf *perf, pid_t lwp, int processor, uint32_t stack_bytes)
{
	struct perf_event_attr attr = attributes(perf, stack_bytes);

	return (int)syscall(SYS_perf_event_open, &attr, lwp, processor, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Descriptors: one for each thread, or for each thread and processor. Returns the first that is not for clocks. */
static int allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return INT_MAX;
	if (limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	const rlim_t others = limit.rlim_cur / 2 < OTHER_FDS ? limit.rlim_cur / 2 : OTHER_FDS;

	return limit.rlim_cur - others > INT_MAX ? INT_MAX : (int)(limit.rlim_cur - others);
}

enum perf_answer perf_init(struct perf *perf, pid_t lwp, double rate, double drains)
{
	*perf = (struct perf){.kernel = true,
			      .period = (uint64_t)((double)SECOND / rate),
			      .rate = rate,
			      .drains = drains,
			      .processors = (int)sysconf(_SC_NPROCESSORS_CONF),
			      .tells_of_all = true,
			      .told_by = epoll_create1(EPOLL_CLOEXEC)};
	if (perf->told_by < 0)
		return PERF_REFUSED;
	perf->most_fds = allow_descriptors();
	int fd = open_event(perf, lwp, -1, STACK_BYTES_FIRST);

	if (fd < 0 && (errno == EACCES || errno == EPERM)) {
		perf->kernel = false;
		fd = open_event(perf, lwp, -1, STACK_BYTES_FIRST);
	}
	if (fd < 0)
		return errno == ESRCH ? PERF_GONE : PERF_REFUSED;
	close(fd);
	return PERF_OK;
}

static int fds_of_thread(const struct perf *perf)
{
	return perf->shared ? perf->processors : 1;
}

static void close_thread(struct perf *perf, struct perf_thread *thread)
{
	perf->own_bytes -= thread->ring.size;
	ring_unmap(&thread->ring);
	for (int i = 0; i < fds_of_thread(perf); i++)
		if (thread->fds[i] >= 0)
			close(thread->fds[i]);
	free(thread->fds);
}

void perf_deinit(struct perf *perf)
{
	for (size_t i = 0; i < perf->count; i++)
		close_thread(perf, &perf->threads[i]);
	for (int i = 0; perf->rings && i < perf->processors; i++) {
		ring_unmap(&perf->rings[i]);
		if (perf->ring_fds[i] >= 0)
			close(perf->ring_fds[i]);
	}
	if (perf->told_by >= 0)
		close(perf->told_by);
	free(perf->rings);
	free(perf->ring_fds);
	free(perf->threads);
	records_deinit(&perf->records);
}

static enum perf_answer refusal(void)
{
	if (errno == ESRCH)
		return PERF_GONE;
	if (errno == EMFILE || errno == ENFILE)
		return PERF_NO_DESCRIPTORS;
	return errno == ENOMEM ? PERF_NO_MEMORY : PERF_REFUSED;
}

/* Of a thread: PERF_OK: *fd is open. */
static enum perf_answer open_clock(const struct perf *perf, const struct perf_thread *thread,
				   int processor, int *fd)
{
	*fd = open_event(perf, thread->lwp, processor, thread->stack_bytes);
	if (*fd < 0)
		return refusal();
	return *fd < perf->most_fds ? PERF_OK : PERF_NO_DESCRIPTORS;
}

/* On edges: a thread that has ended would be told without end. Users may have so many only. */
static void be_told(struct perf *perf, int fd, const struct ring *ring)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = ring->control};

	perf->tells_of_all &= epoll_ctl(perf->told_by, EPOLL_CTL_ADD, fd, &event) == 0;
}

static enum perf_answer open_own(struct perf *perf, struct perf_thread *thread)
{
	const enum perf_answer answer = open_clock(perf, thread, -1, &thread->fds[0]);

	if (answer != PERF_OK)
		return answer;
	if (perf->own_bytes > OWN_BYTES_MOST ||
	    !ring_map(&thread->ring, thread->fds[0], ring_pages(perf, thread->stack_bytes)))
		return PERF_NO_MEMORY;
	be_told(perf, thread->fds[0], &thread->ring);
	perf->own_bytes += thread->ring.size;
	return PERF_OK;
}

/* The ring of a processor belongs to an event that never happens: of ourselves, so that threads may come and go. */
static bool ring_of_processor(struct perf *perf, int processor)
{
	struct ring *ring = &perf->rings[processor];

	if (ring->control)
		return true;
	struct perf_event_attr attr = attributes(perf, STACK_BYTES_FIRST);

	attr.config = PERF_COUNT_SW_DUMMY;
	attr.exclude_kernel = 1;
	attr.context_switch = attr.mmap = attr.comm = attr.comm_exec = attr.task = 0;
	/* It would have to go through all threads' events each time. */
	attr.wakeup_watermark = UINT32_MAX / 2;
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, processor, -1, PERF_FLAG_FD_CLOEXEC);

	perf->ring_fds[processor] = fd;
	if (fd < 0)
		return false;
	for (size_t pages = SHARED_RING_PAGES; pages >= RING_PAGES_LEAST; pages /= 2)
		if (ring_map(ring, fd, pages))
			return true;
	return false;
}

static enum perf_answer open_shared(struct perf *perf, struct perf_thread *thread)
{
	for (int i = 0; i < perf->processors; i++) {
		const enum perf_answer answer = open_clock(perf, thread, i, &thread->fds[i]);

		/* A processor that is switched off. */
		if (thread->fds[i] < 0 && errno == ENODEV)
			continue;
		if (answer != PERF_OK)
			return answer;
		if (!ring_of_processor(perf, i) ||
		    ioctl(thread->fds[i], PERF_EVENT_IOC_SET_OUTPUT, perf->ring_fds[i]))
			return PERF_NO_MEMORY;
	}
	return PERF_OK;
}

static enum perf_answer open_thread(struct perf *perf, struct perf_thread *thread)
{
	thread->fds = take_memory((size_t)perf->processors, sizeof *thread->fds);
	for (int i = 0; i < perf->processors; i++)
		thread->fds[i] = -1;
	enum perf_answer answer = perf->shared ? open_shared(perf, thread) : open_own(perf, thread);

	if (answer != PERF_OK) {
		close_thread(perf, thread);
		thread->fds = NULL;
	}
	return answer;
}

/* A ring each is more than may be locked: one for each processor then, for all threads. */
static void become_shared(struct perf *perf)
{
	for (size_t i = 0; i < perf->count; i++)
		close_thread(perf, &perf->threads[i]);
	perf->shared = true;
	perf->tells_of_all = false;
	perf->rings = take_memory((size_t)perf->processors, sizeof *perf->rings);
	perf->ring_fds = take_memory((size_t)perf->processors, sizeof *perf->ring_fds);
	for (int i = 0; i < perf->processors; i++)
		perf->ring_fds[i] = -1;
	size_t kept = 0;

	for (size_t i = 0; i < perf->count; i++) {
		const enum perf_answer answer = open_thread(perf, &perf->threads[i]);

		perf->threads[i].begun = false;
		if (answer == PERF_OK)
			perf->threads[kept++] = perf->threads[i];
		perf->has_dropped |= answer != PERF_OK && answer != PERF_GONE;
	}
	perf->count = kept;
	perf_begin(perf);
}

enum perf_answer perf_add(struct perf *perf, pid_t lwp, uint32_t number, uint32_t stack_bytes)
{
	struct perf_thread thread = {.lwp = lwp, .number = number, .stack_bytes = stack_bytes};
	enum perf_answer answer = open_thread(perf, &thread);

	if (answer == PERF_NO_MEMORY && !perf->shared) {
		become_shared(perf);
		answer = open_thread(perf, &thread);
	}
	if (answer != PERF_OK)
		return answer;
	perf->threads =
		grow_array(perf->threads, perf->count, &perf->capacity, sizeof *perf->threads);
	perf->threads[perf->count++] = thread;
	return PERF_OK;
}

void perf_remove(struct perf *perf, pid_t lwp)
{
	for (size_t i = 0; i < perf->count; i++) {
		if (perf->threads[i].lwp != lwp)
			continue;
		close_thread(perf, &perf->threads[i]);
		perf->threads[i] = perf->threads[--perf->count];
		return;
	}
}

bool perf_remove_ended(struct perf *perf, bool (*has_ended)(void *context, uint32_t number),
		       void *context)
{
	const size_t before = perf->count;
	size_t kept = 0;

	for (size_t i = 0; i < perf->count; i++) {
		if (has_ended(context, perf->threads[i].number))
			close_thread(perf, &perf->threads[i]);
		else
			perf->threads[kept++] = perf->threads[i];
	}
	perf->count = kept;
	return kept != before;
}

static void tell(const struct perf *perf, const struct perf_thread *thread, unsigned long request,
		 void *argument)
{
	for (int k = 0; k < fds_of_thread(perf); k++)
		if (thread->fds[k] >= 0)
			ioctl(thread->fds[k], request, argument);
}

void perf_begin(struct perf *perf)
{
	for (size_t i = 0; i < perf->count; i++) {
		if (!perf->threads[i].begun)
			tell(perf, &perf->threads[i], PERF_EVENT_IOC_ENABLE, NULL);
		perf->threads[i].begun = true;
	}
}

void perf_set_period(struct perf *perf, uint64_t period, bool (*is_due)(void *context, pid_t lwp),
		     void *context)
{
	perf->period = period;
	for (size_t i = 0; i < perf->count; i++)
		if (is_due(context, perf->threads[i].lwp))
			tell(perf, &perf->threads[i], PERF_EVENT_IOC_PERIOD, &period);
}

static uint64_t milliseconds_until(uint64_t moment)
{
	const uint64_t at = now();

	return at < moment ? (moment - at + MILLISECOND - 1) / MILLISECOND : 0;
}

bool perf_wait(const struct perf *perf, uint64_t until)
{
	struct epoll_event events[FILLING_MOST];
	uint64_t left;

	while ((left = milliseconds_until(until))) {
		const int count = epoll_wait(perf->told_by, events, FILLING_MOST,
					     left < INT_MAX ? (int)left : INT_MAX);

		/* A signal. */
		if (count < 0)
			return false;
		for (int i = 0; i < count; i++)
			if (ring_is_filling(events[i].data.ptr))
				return true;
	}
	return false;
}

/* After pid, lwp and time: which registers follow, they, and the stack with what was really copied of it. */
static bool read_sample(const struct perf_record *record, struct sample *sample)
{
	const uint8_t *at = (const uint8_t *)(record->header + 1) + sizeof(struct record_id);
	const uint8_t *end = (const uint8_t *)record->header + record->header->size;
	uint64_t abi, size, copied = 0;

	if (end - at < 8)
		return false;
	memcpy(&abi, at, 8);
	at += 8;
	/* A thread of the kernel, or 32-bit code. */
	if (abi != PERF_SAMPLE_REGS_ABI_64 ||
	    end - at < (ptrdiff_t)(8 * this_machine.perf_count + 8))
		return false;
	sample->registers.known = 0;
	for (unsigned i = 0; i < this_machine.perf_count; i++, at += 8) {
		memcpy(&sample->registers.value[this_machine.perf_order[i]], at, 8);
		sample->registers.known |= UINT64_C(1) << this_machine.perf_order[i];
	}
	memcpy(&size, at, 8);
	at += 8;
	if (size && (uint64_t)(end - at) >= size + 8)
		memcpy(&copied, at + size, 8);
	sample->lwp = record->lwp;
	sample->time = record->time;
	sample->stack = at;
	sample->stack_size = copied <= size ? (size_t)copied : 0;
	return true;
}

static void hand_on(const struct perf_record *record, bool shared, const struct sink *sink)
{
	const struct perf_event_header *header = record->header;
	struct sample sample;
	uint64_t words[2];

	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		if (read_sample(record, &sample))
			sink->sample(sink->context, &sample);
		else
			sink->empty(sink->context, record->lwp);
		break;
	case PERF_RECORD_SWITCH:
		if (header->misc & PERF_RECORD_MISC_SWITCH_OUT)
			sink->off(sink->context, record->lwp, record->time,
				  header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
		else
			sink->on(sink->context, record->lwp, record->time);
		break;
	case PERF_RECORD_LOST:
		memcpy(words, header + 1, sizeof words);
		sink->lost(sink->context, shared ? 0 : record->lwp, record->since, record->time,
			   words[1]);
		break;
	case PERF_RECORD_FORK: {
		struct {
			uint32_t pid, parent, lwp, by;
		} born;

		memcpy(&born, header + 1, sizeof born);
		/* Another process begins, too. */
		if (born.pid == born.parent)
			sink->born(sink->context, (pid_t)born.lwp);
		break;
	}
	case PERF_RECORD_EXIT:
		sink->ended(sink->context, record->lwp, record->time);
		break;
	case PERF_RECORD_MMAP:
		sink->images_changed(sink->context);
		break;
	case PERF_RECORD_COMM:
		if (header->misc & PERF_RECORD_MISC_COMM_EXEC)
			sink->executed(sink->context, record->time);
		break;
	default:
		break;
	}
}

/* What has come since its last record may be lost. */
static void tell_full(struct ring *ring, pid_t lwp, uint64_t until, const struct sink *sink)
{
	if (!ring->full)
		return;
	sink->lost(sink->context, lwp, ring->last, until, 0);
	ring->full_at = until;
}

/* In the order of time where more than one thread's records are there, or others are concerned. */
static void hand_on_all(struct records *records, bool shared, pid_t pid, const struct sink *sink)
{
	/* Thread by thread takes half as long: what is known of one is at hand then. */
	if (shared || records->mixed)
		records_sort(records);
	for (size_t i = 0; i < records->count; i++)
		if (records->records[i].pid == pid)
			hand_on(&records->records[i], shared, sink);
}

void perf_drain(struct perf *perf, uint64_t until, pid_t pid, const struct sink *sink)
{
	struct records *records = &perf->records;

	for (size_t i = 0; i < perf->count && !perf->shared; i++) {
		if (i + RINGS_AHEAD < perf->count)
			ring_expect(&perf->threads[i + RINGS_AHEAD].ring);
		ring_collect(&perf->threads[i].ring, until, records);
	}
	for (int i = 0; perf->shared && i < perf->processors; i++)
		if (perf->rings[i].control)
			ring_collect(&perf->rings[i], until, records);
	hand_on_all(records, perf->shared, pid, sink);
	for (size_t i = 0; i < perf->count && !perf->shared; i++) {
		tell_full(&perf->threads[i].ring, perf->threads[i].lwp, until, sink);
		ring_release(&perf->threads[i].ring);
	}
	for (int i = 0; perf->shared && i < perf->processors; i++)
		if (perf->rings[i].control) {
			tell_full(&perf->rings[i], 0, until, sink);
			ring_release(&perf->rings[i]);
		}
	records_clear(records);
}

void perf_drain_filling(struct perf *perf, uint64_t until, pid_t pid, const struct sink *sink)
{
	struct records *records = &perf->records;

	for (size_t i = 0; i < perf->count && !perf->shared; i++) {
		struct ring *ring = &perf->threads[i].ring;

		if (!ring_is_filling(ring->control))
			continue;
		ring_collect(ring, until, records);
		hand_on_all(records, false, pid, sink);
		tell_full(ring, perf->threads[i].lwp, until, sink);
		ring_release(ring);
		records_clear(records);
	}
}
