/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "own_process.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long live_blocks, reads;

static ompd_rc_t alloc_memory(ompd_size_t size, void **ret)
{
	*ret = malloc(size);
	live_blocks += *ret != NULL;
	return *ret ? ompd_rc_ok : ompd_rc_nomem;
}

static ompd_rc_t free_memory(void *block)
{
	live_blocks -= block != NULL;
	free(block);
	return ompd_rc_ok;
}

static ompd_rc_t print_string(const char *text, int category)
{
	(void)text;
	(void)category;
	return ompd_rc_ok;
}

static ompd_rc_t sizeof_type(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
	static const ompd_device_type_sizes_t mine = {.sizeof_char = 1,
						      .sizeof_short = 2,
						      .sizeof_int = 4,
						      .sizeof_long = 8,
						      .sizeof_long_long = 8,
						      .sizeof_pointer = 8};

	(void)context;
	*sizes = mine;
	return ompd_rc_ok;
}

static ompd_rc_t symbol_addr_lookup(ompd_address_space_context_t *context,
				    ompd_thread_context_t *thread, const char *name,
				    ompd_address_t *address, const char *file)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	(void)context;
	(void)thread;
	(void)file;
	if (!found)
		return ompd_rc_error;
	address->segment = ompd_segment_none;
	address->address = (ompd_addr_t)found;
	return ompd_rc_ok;
}

/* The kernel copies, and refuses what is not there. An emulator of another processor knows this call, not
   process_vm_readv. */
static bool copied(char *to, const char *from, size_t size)
{
	int ends[2];
	bool ok = pipe(ends) == 0;

	if (!ok)
		return false;
	for (size_t done = 0; ok && done < size;) {
		const size_t rest = size - done;
		const ssize_t put = write(ends[1], from + done, rest < PIPE_BUF ? rest : PIPE_BUF);

		ok = put > 0 && read(ends[0], to + done, (size_t)put) == put;
		done += ok ? (size_t)put : 0;
	}
	close(ends[0]);
	close(ends[1]);
	return ok;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t size, void *buffer)
{
	(void)context;
	(void)thread;
	reads++;
	return copied(buffer, (const char *)(uintptr_t)address->address, size) ? ompd_rc_ok
									       : ompd_rc_error;
}

static ompd_rc_t read_string(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t size, void *buffer)
{
	char *to = buffer;

	for (ompd_size_t i = 0; i < size; i++) {
		const ompd_address_t at = {address->segment, address->address + i};

		if (read_memory(context, thread, &at, 1, to + i) != ompd_rc_ok)
			return ompd_rc_error;
		if (to[i] == 0)
			return ompd_rc_ok;
	}
	return ompd_rc_incomplete;
}

static ompd_rc_t write_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			      const ompd_address_t *address, ompd_size_t size, const void *buffer)
{
	(void)context;
	(void)thread;
	(void)address;
	(void)size;
	(void)buffer;
	return ompd_rc_unsupported;
}

static ompd_rc_t convert(ompd_address_space_context_t *context, const void *input, ompd_size_t unit,
			 ompd_size_t count, void *output)
{
	(void)context;
	memcpy(output, input, unit * count);
	return ompd_rc_ok;
}

static ompd_rc_t thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind,
				ompd_size_t size, const void *id, ompd_thread_context_t **ret)
{
	(void)context;
	(void)kind;
	(void)size;
	(void)id;
	(void)ret;
	return ompd_rc_unsupported;
}

const ompd_callbacks_t *own_callbacks(void)
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
		.device_to_host = convert,
		.host_to_device = convert,
		.get_thread_context_for_thread_id = thread_context,
	};

	return &callbacks;
}

ompd_address_space_context_t *own_context(void)
{
	static char context;

	return (ompd_address_space_context_t *)&context;
}

long own_live_blocks(void)
{
	return live_blocks;
}

long own_reads(void)
{
	const long before = reads;

	reads = 0;
	return before;
}
