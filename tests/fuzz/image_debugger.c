/* SPDX-License-Identifier: Apache-2.0 */
#include "image_debugger.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Past this the debugger has no memory left, so that a large count ends like on a small machine. */
#define LIVE_BYTES_MAX (UINT64_C(64) << 20)

static struct {
	const struct memory_image *image;
	bool knows_symbols;
	const char *call;
	uint64_t reads_before; /* the call */
	uint64_t reads;
	uint64_t live_bytes;
	uint64_t live_blocks;
} debugger;

void (*debugger_on_read)(uint64_t address, uint64_t length);

ompd_address_space_context_t *debugger_context(void)
{
	return (ompd_address_space_context_t *)&debugger;
}

void debugger_open(const struct memory_image *image, bool knows_symbols)
{
	memset(&debugger, 0, sizeof(debugger));
	debugger.image = image;
	debugger.knows_symbols = knows_symbols;
	debugger.call = "";
}

_Noreturn void finding(const char *what, const char *about)
{
	fprintf(stderr, "FINDING: %s: %s\n", what, about);
	abort();
}

void debugger_call_begins(const char *about)
{
	debugger.call = about;
	debugger.reads_before = debugger.reads;
}

const char *debugger_call(void)
{
	return debugger.call;
}

uint64_t debugger_reads(void)
{
	return debugger.reads;
}

void debugger_free(const void *block)
{
	void *own = (void *)(uintptr_t)block;

	debugger.live_blocks--;
	debugger.live_bytes -= malloc_usable_size(own);
	free(own);
}

size_t debugger_block_size(const void *block)
{
	return malloc_usable_size((void *)(uintptr_t)block);
}

void debugger_expect_no_blocks(void)
{
	if (debugger.live_blocks)
		finding("blocks are left", "ompd_finalize");
}

static void check_context(const ompd_address_space_context_t *context)
{
	if (context != debugger_context())
		finding("a context that is not the debugger's", debugger.call);
}

static void count_read(void)
{
	debugger.reads++;
	if (debugger.reads - debugger.reads_before > READS_PER_CALL_MAX)
		finding("a walk without a bound", debugger.call);
}

static ompd_rc_t alloc_memory(ompd_size_t nbytes, void **ptr)
{
	if (nbytes > LIVE_BYTES_MAX - debugger.live_bytes)
		return ompd_rc_nomem;
	*ptr = malloc(nbytes);
	if (!*ptr)
		return ompd_rc_nomem;
	memset(*ptr, 0xa5, nbytes);
	debugger.live_blocks++;
	debugger.live_bytes += malloc_usable_size(*ptr);
	return ompd_rc_ok;
}

static ompd_rc_t free_memory(void *ptr)
{
	debugger_free(ptr);
	return ompd_rc_ok;
}

static ompd_rc_t print_string(const char *string, int category)
{
	(void)category;
	if (strlen(string) > 65536)
		finding("a text that nobody can read", debugger.call);
	return ompd_rc_ok;
}

static ompd_rc_t sizeof_type(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
	const uint8_t pointer = debugger.image->flags & FLAG_POINTERS_OF_4 ? 4 : 8;
	const ompd_device_type_sizes_t of_target = {1, 2, 4, pointer, 8, pointer};

	check_context(context);
	*sizes = of_target;
	return ompd_rc_ok;
}

static ompd_rc_t symbol_addr_lookup(ompd_address_space_context_t *context,
				    ompd_thread_context_t *thread, const char *name,
				    ompd_address_t *address, const char *file_name)
{
	(void)thread;
	(void)file_name;
	check_context(context);
	/* Every debugger finds the dynamic linker's own list. */
	for (size_t i = 0; i < debugger.image->symbol_count; i++) {
		const struct image_symbol *symbol = &debugger.image->symbols[i];

		if (strcmp(symbol->name, name) == 0 &&
		    (debugger.knows_symbols || strcmp(name, "_r_debug") == 0)) {
			address->segment = ompd_segment_none;
			address->address = symbol->address;
			return ompd_rc_ok;
		}
	}
	return ompd_rc_error;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t nbytes, void *buffer)
{
	(void)thread;
	check_context(context);
	count_read();
	if (!image_read(debugger.image, address->address, nbytes, buffer))
		return ompd_rc_error;
	if (debugger_on_read)
		debugger_on_read(address->address, nbytes);
	return ompd_rc_ok;
}

static ompd_rc_t read_string(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const ompd_address_t *address, ompd_size_t nbytes, void *buffer)
{
	(void)thread;
	check_context(context);
	count_read();
	for (ompd_size_t i = 0; i < nbytes; i++) {
		char *to = (char *)buffer + i;

		if (!image_read(debugger.image, address->address + i, 1, to))
			return ompd_rc_error;
		if (debugger_on_read)
			debugger_on_read(address->address + i, 1);
		if (!*to)
			return ompd_rc_ok;
	}
	return ompd_rc_incomplete;
}

static ompd_rc_t write_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			      const ompd_address_t *address, ompd_size_t nbytes, const void *buffer)
{
	(void)context;
	(void)thread;
	(void)address;
	(void)nbytes;
	(void)buffer;
	finding("the process is written to", debugger.call);
}

static ompd_rc_t convert(ompd_address_space_context_t *context, const void *input,
			 ompd_size_t unit_size, ompd_size_t count, void *output)
{
	const uint16_t probe = 1;
	const bool host_big = *(const uint8_t *)&probe == 0;
	const bool target_big = (debugger.image->flags & FLAG_BIG_ENDIAN) != 0;
	const uint8_t *from = input;
	uint8_t *to = output;

	check_context(context);
	for (ompd_size_t i = 0; i < count; i++, from += unit_size, to += unit_size) {
		uint8_t unit[16];

		if (unit_size > sizeof(unit))
			return ompd_rc_bad_input;
		for (ompd_size_t k = 0; k < unit_size; k++)
			unit[k] = from[host_big == target_big ? k : unit_size - 1 - k];
		memcpy(to, unit, unit_size);
	}
	return ompd_rc_ok;
}

static ompd_rc_t get_thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind,
				    ompd_size_t size, const void *id, ompd_thread_context_t **ret)
{
	check_context(context);
	if (kind != OMPD_THREAD_ID_PTHREAD && kind != OMPD_THREAD_ID_LWP)
		return ompd_rc_unsupported;
	for (size_t i = 0; i < debugger.image->thread_count; i++) {
		const struct image_thread *thread = &debugger.image->threads[i];
		const uint64_t own = kind == OMPD_THREAD_ID_LWP ? thread->lwp : thread->pthread_id;
		uint8_t bytes[8], in_target[8];

		for (unsigned k = 0; k < 8; k++)
			bytes[k] = (uint8_t)(own >> (8 * k));
		if (size > sizeof(bytes))
			return ompd_rc_bad_input;
		for (ompd_size_t k = 0; k < size; k++)
			in_target[k] =
				bytes[debugger.image->flags & FLAG_BIG_ENDIAN ? size - 1 - k : k];
		if (memcmp(in_target, id, size) == 0) {
			*ret = (ompd_thread_context_t *)(uintptr_t)thread;
			return ompd_rc_ok;
		}
	}
	return ompd_rc_unavailable;
}

const ompd_callbacks_t *debugger_callbacks(void)
{
	static const ompd_callbacks_t callbacks = {
		alloc_memory,       free_memory,  print_string, sizeof_type, symbol_addr_lookup,
		read_memory,        write_memory, read_string,  convert,     convert,
		get_thread_context,
	};

	return &callbacks;
}
