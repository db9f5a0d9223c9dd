/* SPDX-License-Identifier: Apache-2.0 */
#include "target/debugger.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* Entries that the kernel tells a program: some twenty. */
#define AUXV_MAX 64

static ompd_rc_t allocate(ompd_size_t size, void **memory)
{
	*memory = malloc(size);
	return *memory ? ompd_rc_ok : ompd_rc_nomem;
}

static ompd_rc_t give_back(void *memory)
{
	free(memory);
	return ompd_rc_ok;
}

/* What it has to say of itself it also tells by its diagnostics. */
static ompd_rc_t print(const char *text, int category)
{
	(void)text;
	(void)category;
	return ompd_rc_ok;
}

static ompd_rc_t sizes(ompd_address_space_context_t *context, ompd_device_type_sizes_t *types)
{
	(void)context;
	*types = (ompd_device_type_sizes_t){sizeof(char), sizeof(short),     sizeof(int),
					    sizeof(long), sizeof(long long), sizeof(void *)};
	return ompd_rc_ok;
}

static ompd_rc_t symbol(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			const char *name, ompd_address_t *address, const char *file)
{
	struct debugger *debugger = (struct debugger *)context;

	(void)thread;
	(void)file;
	*address = (ompd_address_t){0, 0};
	if (strcmp(name, "_r_debug") == 0)
		address->address = debugger->r_debug;
	else if (debugger->find_symbol)
		address->address = debugger->find_symbol(debugger->context, name);
	return address->address ? ompd_rc_ok : ompd_rc_error;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t size, void *bytes)
{
	(void)thread;
	return memory_read(((struct debugger *)context)->memory, address->address, size, bytes)
		       ? ompd_rc_ok
		       : ompd_rc_error;
}

static ompd_rc_t read_string(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t size, void *bytes)
{
	struct memory *memory = ((struct debugger *)context)->memory;

	(void)thread;
	if (memory_read_text(memory, address->address, bytes, size))
		return ompd_rc_ok;
	return memory_read(memory, address->address, size, bytes) ? ompd_rc_incomplete
								  : ompd_rc_error;
}

/* The process is of this machine. */
static ompd_rc_t convert(ompd_address_space_context_t *context, const void *from, ompd_size_t size,
			 ompd_size_t count, void *to)
{
	(void)context;
	memcpy(to, from, size * count);
	return ompd_rc_ok;
}

/* Snapshots are asked with threads of our own listing. */
static ompd_rc_t find_thread(ompd_address_space_context_t *context, ompd_thread_id_t kind,
			     ompd_size_t size, const void *id, ompd_thread_context_t **thread)
{
	(void)context;
	(void)kind;
	(void)size;
	(void)id;
	*thread = NULL;
	return ompd_rc_unsupported;
}

const ompd_callbacks_t *debugger_callbacks(void)
{
	static const ompd_callbacks_t callbacks = {
		.alloc_memory = allocate,
		.free_memory = give_back,
		.print_string = print,
		.sizeof_type = sizes,
		.symbol_addr_lookup = symbol,
		.read_memory = read_memory,
		.read_string = read_string,
		.device_to_host = convert,
		.host_to_device = convert,
		.get_thread_context_for_thread_id = find_thread,
	};

	return &callbacks;
}

void debugger_find_link_map(struct debugger *debugger)
{
	ompdx_auxv_t auxv = {.size = sizeof auxv};
	ompdx_images_t *images = NULL;
	uint64_t vector[2 * AUXV_MAX];
	ssize_t size = process_file(debugger->process, "auxv", vector, sizeof vector);

	for (ssize_t i = 0; i + 16 <= size; i += 16) {
		const uint64_t *entry = &vector[i / 8];

		if (entry[0] == AT_PHDR)
			auxv.headers = entry[1];
		if (entry[0] == AT_PHNUM)
			auxv.header_count = entry[1];
	}
	debugger->r_debug = 0;
	if (ompdx_images(debugger_context(debugger), &auxv, &images) == ompd_rc_ok)
		debugger->r_debug = images->debug;
	free(images);
}
