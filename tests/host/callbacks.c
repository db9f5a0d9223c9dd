/* SPDX-License-Identifier: Apache-2.0 */
#include "callbacks.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"

#define LIVE UINT64_C(0x6f6d70642d6f6b21)
#define ALLOCATION_MAX (UINT64_C(1) << 30)

struct costs costs;

struct block {
	uint64_t mark; /* LIVE until freed: what else comes to be freed is no block of ours */
	_Alignas(max_align_t) unsigned char bytes[];
};

static ompd_rc_t alloc_memory(ompd_size_t size, void **ret)
{
	struct block *block = size <= ALLOCATION_MAX ? malloc(sizeof(*block) + (size_t)size) : NULL;

	costs.allocations++;
	if (!block)
		return ompd_rc_nomem;
	memset(block, 0xa5, sizeof(*block) + (size_t)size);
	block->mark = LIVE;
	costs.live_allocations++;
	*ret = block->bytes;
	return ompd_rc_ok;
}

static ompd_rc_t free_memory(void *memory)
{
	struct block *block;

	costs.frees++;
	if (!memory)
		return ompd_rc_ok;
	block = (struct block *)(void *)((unsigned char *)memory - offsetof(struct block, bytes));
	if (block->mark != LIVE) {
		costs.bad_frees++;
		return ompd_rc_ok;
	}
	block->mark = 0;
	costs.live_allocations--;
	free(block);
	return ompd_rc_ok;
}

void free_of_library(const void *block)
{
	if (block)
		free_memory((void *)(uintptr_t)block);
}

static ompd_rc_t print_string(const char *text, int category)
{
	(void)category;
	costs.texts++;
	fputs(text, stderr);
	return ompd_rc_ok;
}

static ompd_rc_t sizeof_type(ompd_address_space_context_t *space, ompd_device_type_sizes_t *ret)
{
	costs.sizes++;
	if (!space)
		return ompd_rc_stale_handle;
	*ret = (ompd_device_type_sizes_t){
		1, sizeof(short), sizeof(int), sizeof(long), sizeof(long long), sizeof(void *)};
	return ompd_rc_ok;
}

static ompd_rc_t symbol_addr_lookup(ompd_address_space_context_t *space,
				    ompd_thread_context_t *thread, const char *name,
				    ompd_address_t *ret, const char *file_name)
{
	const struct symbol *found;
	struct object *object;
	uint64_t address;

	costs.symbols++;
	if (!space)
		return ompd_rc_stale_handle;
	if (!name || !ret)
		return ompd_rc_bad_input;
	found = process_symbol(space->process, file_name, name, &object);
	if (!found) {
		costs.symbols_not_found++;
		return ompd_rc_error;
	}
	address = found->address;
	if (found->is_tls && (!thread || !thread_local_address(thread, object, found, &address)))
		return ompd_rc_error;
	*ret = (ompd_address_t){ompd_segment_none, address};
	return ompd_rc_ok;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t size, void *buffer)
{
	struct target *target;

	(void)thread;
	costs.reads++;
	costs.bytes += size;
	if (!space)
		return ompd_rc_stale_handle;
	target = space->process->target;
	return target->read(target, address->address, (size_t)size, buffer) ? ompd_rc_ok
									    : ompd_rc_error;
}

static ompd_rc_t read_string(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t size, void *buffer)
{
	struct target *target;
	char last;

	(void)thread;
	costs.strings++;
	if (!space)
		return ompd_rc_stale_handle;
	target = space->process->target;
	if (target_read_string(target, address->address, (size_t)size, buffer)) {
		costs.bytes += strlen(buffer) + 1;
		return ompd_rc_ok;
	}
	/* All of it is there, and no NUL among it. */
	if (size > 0 && target->read(target, address->address + size - 1, 1, &last))
		return ompd_rc_incomplete;
	return ompd_rc_error;
}

/* This debugger only looks. */
static ompd_rc_t write_memory(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
			      const ompd_address_t *address, ompd_size_t size, const void *buffer)
{
	(void)space, (void)thread, (void)address, (void)size, (void)buffer;
	costs.writes++;
	return ompd_rc_error;
}

/* Targets are of the host's own architecture. */
static ompd_rc_t convert(ompd_address_space_context_t *space, const void *input,
			 ompd_size_t unit_size, ompd_size_t count, void *output)
{
	costs.conversions++;
	if (!space)
		return ompd_rc_stale_handle;
	memmove(output, input, (size_t)(unit_size * count));
	return ompd_rc_ok;
}

static ompd_rc_t get_thread_context(ompd_address_space_context_t *space, ompd_thread_id_t kind,
				    ompd_size_t size, const void *id, ompd_thread_context_t **ret)
{
	uint64_t pthread = 0;
	pid_t lwp = 0;

	costs.contexts++;
	if (!space)
		return ompd_rc_stale_handle;
	if (kind != OMPD_THREAD_ID_PTHREAD && kind != OMPD_THREAD_ID_LWP)
		return ompd_rc_unsupported;
	if (size != (kind == OMPD_THREAD_ID_PTHREAD ? sizeof(pthread) : sizeof(lwp)))
		return ompd_rc_bad_input;
	memcpy(kind == OMPD_THREAD_ID_PTHREAD ? (void *)&pthread : (void *)&lwp, id, (size_t)size);
	for (size_t i = 0; i < space->process->thread_count; i++) {
		struct _ompd_thread_cont *thread = &space->process->threads[i];

		if (kind == OMPD_THREAD_ID_PTHREAD ? thread->pthread == pthread
						   : thread->lwp == lwp) {
			*ret = thread;
			return ompd_rc_ok;
		}
	}
	return ompd_rc_unavailable;
}

const ompd_callbacks_t callbacks = {
	.alloc_memory = alloc_memory,
	.free_memory = free_memory,
	.print_string = print_string,
	.sizeof_type = sizeof_type,
	.symbol_addr_lookup = symbol_addr_lookup,
	.read_memory = read_memory,
	.write_memory = write_memory,
	.read_string = read_string,
	.device_to_host = convert,
	.host_to_device = convert,
	.get_thread_context_for_thread_id = get_thread_context,
};
