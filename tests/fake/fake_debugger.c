/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_debugger.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_target.h"

/* What memory looks like that the library must not rely on. */
#define POISON_NEW 0xa5
#define POISON_FREED 0xdd
#define POISON_UNREAD 0xe7
#define GUARD_SIZE 32
#define GUARD 0x5c

/* Far above what any answer needs: a library that asks for more follows a number of the target's. */
#define ALLOCATION_MAX (UINT64_C(256) << 20)

struct block {
	struct block *next;
	uint64_t size;
	/* The memory itself follows, aligned for any type, and GUARD_SIZE bytes behind it. */
	_Alignas(max_align_t) uint8_t bytes[];
};

/* A thread context is a number, made of what it stands for and of how many times contexts have expired. */
#define CONTEXT_THREAD_BITS 12
#define CONTEXT_TARGET_BITS 16

static struct {
	struct fake_counts counts;
	unsigned failed_reads;
	struct block *blocks;
	size_t block_count;
	struct fake_fault fault;
	unsigned reached; /* calls of the fault's callbacks so far */
	bool struck;
	unsigned violations;
	char first_violation[200];
	uintptr_t context_age;
	bool no_lwps;
	bool no_threads;
} debugger;

__attribute__((format(printf, 1, 2))) static void violation(const char *format, ...)
{
	va_list arguments;

	if (debugger.violations++ > 0)
		return;
	va_start(arguments, format);
	vsnprintf(debugger.first_violation, sizeof(debugger.first_violation), format, arguments);
	va_end(arguments);
}

/* Counts a call. Whether it has to fail, and how. */
static bool fails(enum fake_callback callback, ompd_rc_t *rc)
{
	debugger.counts.calls[callback]++;
	if (!(debugger.fault.callbacks & 1u << callback))
		return false;
	debugger.reached++;
	if (debugger.reached < debugger.fault.nth ||
	    (debugger.reached > debugger.fault.nth && !debugger.fault.persistent))
		return false;
	debugger.struck = true;
	*rc = debugger.fault.rc;
	return true;
}

static struct fake_target *target_of(ompd_address_space_context_t *context, const char *callback)
{
	struct fake_target *target = fake_target_of(context);

	if (!target)
		violation("%s: an address-space context that is not, or no longer, the tool's",
			  callback);
	return target;
}

/* ---- Memory of the library ---- */

static void check_guard(const struct block *block)
{
	for (unsigned i = 0; i < GUARD_SIZE; i++) {
		if (block->bytes[block->size + i] != GUARD) {
			violation("wrote behind the end of a block of %llu bytes",
				  (unsigned long long)block->size);
			return;
		}
	}
}

static void discard(struct block *block)
{
	check_guard(block);
	memset(block->bytes, POISON_FREED, block->size);
	free(block);
	debugger.block_count--;
}

static ompd_rc_t alloc_memory(ompd_size_t size, void **ptr)
{
	struct block *block;
	ompd_rc_t rc;

	if (fails(FAKE_ALLOC, &rc))
		return rc;
	if (!ptr || size == 0 || size > ALLOCATION_MAX) {
		violation("alloc_memory(%llu)", (unsigned long long)size);
		return ompd_rc_error;
	}
	block = malloc(sizeof(*block) + size + GUARD_SIZE);
	if (!block)
		return ompd_rc_error;
	block->size = size;
	memset(block->bytes, POISON_NEW, size);
	memset(block->bytes + size, GUARD, GUARD_SIZE);
	block->next = debugger.blocks;
	debugger.blocks = block;
	debugger.block_count++;
	*ptr = block->bytes;
	return ompd_rc_ok;
}

static ompd_rc_t free_memory(void *ptr)
{
	struct block **link = &debugger.blocks;
	struct block *block;
	ompd_rc_t rc = ompd_rc_ok;

	(void)fails(FAKE_FREE, &rc);
	while (*link && (void *)(*link)->bytes != ptr)
		link = &(*link)->next;
	block = *link;
	if (!block) {
		violation("free_memory of memory that is not allocated");
		return ompd_rc_error;
	}
	*link = block->next;
	discard(block);
	return rc;
}

/* ---- The target ---- */

static ompd_rc_t print_string(const char *string, int category)
{
	ompd_rc_t rc;

	(void)category;
	if (fails(FAKE_PRINT, &rc))
		return rc;
	if (!string)
		violation("print_string(NULL)");
	return ompd_rc_ok;
}

static ompd_rc_t sizeof_type(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
	struct fake_target *target = target_of(context, "sizeof_type");
	unsigned pointer_size;
	ompd_rc_t rc;

	if (fails(FAKE_SIZEOF, &rc))
		return rc;
	if (!target || !sizes)
		return ompd_rc_stale_handle;
	pointer_size = fake_machine_of(target).pointer_size;
	sizes->sizeof_char = 1;
	sizes->sizeof_short = 2;
	sizes->sizeof_int = 4;
	sizes->sizeof_long = (uint8_t)pointer_size;
	sizes->sizeof_long_long = 8;
	sizes->sizeof_pointer = (uint8_t)pointer_size;
	return ompd_rc_ok;
}

static ompd_thread_context_t *context_of_thread(const struct fake_target *target, int thread)
{
	const uintptr_t number = fake_target_number(target) & ((1u << CONTEXT_TARGET_BITS) - 1);
	const uintptr_t age = debugger.context_age + 1;

	return (ompd_thread_context_t *)(((age << CONTEXT_TARGET_BITS | number)
					  << CONTEXT_THREAD_BITS) |
					 (unsigned)thread);
}

static void check_thread_context(const struct fake_target *target, ompd_thread_context_t *given)
{
	const uintptr_t mask = ((uintptr_t)1 << CONTEXT_THREAD_BITS) - 1;
	const uintptr_t expected = (uintptr_t)context_of_thread(target, 0);

	if (given && ((uintptr_t)given & ~mask) != expected)
		violation("a thread context of another address space, or one that has expired");
}

static ompd_rc_t symbol_addr_lookup(ompd_address_space_context_t *context,
				    ompd_thread_context_t *thread_context, const char *name,
				    ompd_address_t *address, const char *file_name)
{
	struct fake_target *target = target_of(context, "symbol_addr_lookup");
	uint64_t found;
	ompd_rc_t rc;

	if (fails(FAKE_LOOKUP, &rc))
		return rc;
	if (!target)
		return ompd_rc_stale_handle;
	check_thread_context(target, thread_context);
	if (!name || !address) {
		violation("symbol_addr_lookup without a name or a place for the answer");
		return ompd_rc_bad_input;
	}
	if (!fake_find_symbol(target, file_name, name, &found))
		return ompd_rc_error;
	address->segment = ompd_segment_none;
	address->address = found;
	return ompd_rc_ok;
}

/* The target to read from, or NULL after noting what is wrong with the request. */
static struct fake_target *readable(ompd_address_space_context_t *context,
				    ompd_thread_context_t *thread_context,
				    const ompd_address_t *address, ompd_size_t size,
				    const void *buffer)
{
	struct fake_target *target = target_of(context, "read");

	if (!target)
		return NULL;
	check_thread_context(target, thread_context);
	if (!address || !buffer || size == 0) {
		violation("a read of nothing, or to nowhere");
		return NULL;
	}
	if (address->segment != ompd_segment_none)
		violation("a read from a segment that does not exist");
	return target;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context,
			     ompd_thread_context_t *thread_context, const ompd_address_t *address,
			     ompd_size_t size, void *buffer)
{
	struct fake_target *target = readable(context, thread_context, address, size, buffer);
	ompd_rc_t rc;

	if (fails(FAKE_READ, &rc))
		return rc;
	if (!target)
		return ompd_rc_stale_handle;
	debugger.counts.bytes_read += size;
	if (!fake_read(target, address->address, size, buffer)) {
		debugger.failed_reads++;
		memset(buffer, POISON_UNREAD, size);
		return ompd_rc_error;
	}
	return ompd_rc_ok;
}

static ompd_rc_t read_string(ompd_address_space_context_t *context,
			     ompd_thread_context_t *thread_context, const ompd_address_t *address,
			     ompd_size_t size, void *buffer)
{
	struct fake_target *target = readable(context, thread_context, address, size, buffer);
	char *text = buffer;
	ompd_rc_t rc;

	if (fails(FAKE_READ_STRING, &rc))
		return rc;
	if (!target)
		return ompd_rc_stale_handle;
	for (ompd_size_t i = 0; i < size; i++) {
		if (!fake_read(target, address->address + i, 1, &text[i]))
			return ompd_rc_error;
		debugger.counts.bytes_read++;
		if (text[i] == '\0')
			return ompd_rc_ok;
	}
	return ompd_rc_incomplete;
}

static ompd_rc_t write_memory(ompd_address_space_context_t *context,
			      ompd_thread_context_t *thread_context, const ompd_address_t *address,
			      ompd_size_t size, const void *buffer)
{
	ompd_rc_t rc;

	(void)readable(context, thread_context, address, size, buffer);
	if (fails(FAKE_WRITE, &rc))
		return rc;
	violation("wrote to the target");
	return ompd_rc_error;
}

static ompd_rc_t convert(enum fake_callback callback, ompd_address_space_context_t *context,
			 const void *input, ompd_size_t unit_size, ompd_size_t count, void *output)
{
	struct fake_target *target = target_of(context, "byte order");
	const uint8_t *from = input;
	uint8_t *to = output;
	const uint16_t one = 1;
	bool host_big_endian, swap;
	uint8_t first;
	ompd_rc_t rc;

	if (fails(callback, &rc))
		return rc;
	if (!target)
		return ompd_rc_stale_handle;
	if (!from || !to || unit_size == 0 || unit_size > 8 || (unit_size & (unit_size - 1)))
		violation("byte order: no buffer, or units of %llu bytes",
			  (unsigned long long)unit_size);
	memcpy(&first, &one, 1);
	host_big_endian = first == 0;
	swap = fake_machine_of(target).big_endian != host_big_endian;
	for (ompd_size_t i = 0; i < count; i++, from += unit_size, to += unit_size) {
		uint8_t unit[8];

		memcpy(unit, from, unit_size);
		for (ompd_size_t k = 0; k < unit_size; k++)
			to[k] = unit[swap ? unit_size - 1 - k : k];
	}
	return ompd_rc_ok;
}

static ompd_rc_t device_to_host(ompd_address_space_context_t *context, const void *input,
				ompd_size_t unit_size, ompd_size_t count, void *output)
{
	return convert(FAKE_TO_HOST, context, input, unit_size, count, output);
}

static ompd_rc_t host_to_device(ompd_address_space_context_t *context, const void *input,
				ompd_size_t unit_size, ompd_size_t count, void *output)
{
	return convert(FAKE_TO_DEVICE, context, input, unit_size, count, output);
}

/* ---- Threads ---- */

static uint64_t decode_id(struct fake_machine machine, const void *bytes, unsigned size)
{
	const uint8_t *from = bytes;
	uint64_t id = 0;

	for (unsigned i = 0; i < size; i++)
		id = id << 8 | from[machine.big_endian ? i : size - 1 - i];
	return id;
}

/* The bytes of a thread id are the target's: its pthread_t is a pointer there, its LWP an int. */
static ompd_rc_t get_thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind,
				    ompd_size_t size, const void *id,
				    ompd_thread_context_t **thread_context)
{
	struct fake_target *target = target_of(context, "get_thread_context_for_thread_id");
	struct fake_machine machine;
	unsigned expected;
	int thread;
	ompd_rc_t rc;

	if (fails(FAKE_THREAD_CONTEXT, &rc))
		return rc;
	if (!target)
		return ompd_rc_stale_handle;
	if (!id || !thread_context) {
		violation(
			"get_thread_context_for_thread_id without an id or a place for the answer");
		return ompd_rc_bad_input;
	}
	if (debugger.no_threads || (kind == OMPD_THREAD_ID_LWP && debugger.no_lwps) ||
	    (kind != OMPD_THREAD_ID_LWP && kind != OMPD_THREAD_ID_PTHREAD))
		return ompd_rc_unsupported;
	machine = fake_machine_of(target);
	expected = kind == OMPD_THREAD_ID_LWP ? 4 : machine.pointer_size;
	if (size != expected)
		return ompd_rc_bad_input;
	if (kind == OMPD_THREAD_ID_LWP)
		thread = fake_thread_by_lwp(target, decode_id(machine, id, expected));
	else
		thread = fake_thread_by_pthread(target, decode_id(machine, id, expected));
	if (thread < 0)
		return ompd_rc_unavailable;
	*thread_context = context_of_thread(target, thread);
	return ompd_rc_ok;
}

const ompd_callbacks_t *fake_callbacks(void)
{
	static const ompd_callbacks_t callbacks = {
		.alloc_memory = alloc_memory,
		.free_memory = free_memory,
		.print_string = print_string,
		.sizeof_type = sizeof_type,
		.symbol_addr_lookup = symbol_addr_lookup,
		.read_memory = read_memory,
		.write_memory = write_memory,
		.read_string = read_string,
		.device_to_host = device_to_host,
		.host_to_device = host_to_device,
		.get_thread_context_for_thread_id = get_thread_context,
	};

	return &callbacks;
}

void fake_debugger_reset(void)
{
	while (debugger.blocks) {
		struct block *block = debugger.blocks;

		debugger.blocks = block->next;
		discard(block);
	}
	memset(&debugger, 0, sizeof(debugger));
}

struct fake_counts fake_counts(void)
{
	return debugger.counts;
}

unsigned fake_calls(const struct fake_counts *counts)
{
	unsigned calls = 0;

	for (unsigned i = 0; i < FAKE_CALLBACK_COUNT; i++)
		calls += counts->calls[i];
	return calls;
}

void fake_counts_reset(void)
{
	memset(&debugger.counts, 0, sizeof(debugger.counts));
	debugger.failed_reads = 0;
}

unsigned fake_failed_reads(void)
{
	return debugger.failed_reads;
}

size_t fake_live_blocks(void)
{
	return debugger.block_count;
}

unsigned fake_violations(void)
{
	for (const struct block *block = debugger.blocks; block; block = block->next)
		check_guard(block);
	return debugger.violations;
}

const char *fake_first_violation(void)
{
	return debugger.first_violation;
}

void fake_fault_plan(struct fake_fault fault)
{
	debugger.fault = fault;
	debugger.reached = 0;
	debugger.struck = false;
}

void fake_fault_clear(void)
{
	memset(&debugger.fault, 0, sizeof(debugger.fault));
}

bool fake_fault_struck(void)
{
	return debugger.struck;
}

void fake_know_lwps(bool known)
{
	debugger.no_lwps = !known;
}

void fake_know_threads(bool known)
{
	debugger.no_threads = !known;
}

void fake_expire_thread_contexts(void)
{
	debugger.context_age++;
}
