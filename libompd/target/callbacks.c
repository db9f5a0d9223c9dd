/* SPDX-License-Identifier: Apache-2.0 */
#include "target/callbacks.h"

#include <string.h>

/* What the debugger gave us at ompd_initialize. */
static ompd_callbacks_t callbacks;

/* What a callback said, when `allowed` is the one code beside ok and stale_handle that it may use. */
static ompd_rc_t normalized(ompd_rc_t said, ompd_rc_t allowed, ompd_rc_t meaning)
{
	if (said == ompd_rc_ok || said == ompd_rc_stale_handle)
		return said;
	return said == allowed ? meaning : ompd_rc_callback_error;
}

bool callbacks_complete(const ompd_callbacks_t *table)
{
	/* LLVM's GDB plugin has no write_memory; nothing here writes. */
	return table->alloc_memory && table->free_memory && table->sizeof_type &&
	       table->symbol_addr_lookup && table->read_memory && table->read_string &&
	       table->device_to_host && table->host_to_device &&
	       table->get_thread_context_for_thread_id;
}

void callbacks_use(const ompd_callbacks_t *table)
{
	callbacks = *table;
}

void callbacks_forget(void)
{
	memset(&callbacks, 0, sizeof(callbacks));
}

ompd_rc_t callback_alloc_to_fill(ompd_size_t count, ompd_size_t size, void **ret)
{
	void *block = NULL;

	if (size && count > SIZE_MAX / size)
		return ompd_rc_nomem;
	if (callbacks.alloc_memory(count * size, &block) != ompd_rc_ok || !block)
		return ompd_rc_nomem;
	*ret = block;
	return ompd_rc_ok;
}

ompd_rc_t callback_alloc(ompd_size_t count, ompd_size_t size, void **ret)
{
	const ompd_rc_t rc = callback_alloc_to_fill(count, size, ret);

	if (rc == ompd_rc_ok)
		memset(*ret, 0, (size_t)(count * size));
	return rc;
}

void callback_free(void *block)
{
	if (block)
		(void)callbacks.free_memory(block);
}

ompd_rc_t callback_sizeof(ompd_address_space_context_t *context, ompd_device_type_sizes_t *ret)
{
	return normalized(callbacks.sizeof_type(context, ret), ompd_rc_ok, ompd_rc_ok);
}

static ompd_rc_t find_symbol(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			     const char *name, const char *file_name, ompd_addr_t *ret)
{
	ompd_address_t address = {ompd_segment_none, 0};
	const ompd_rc_t said =
		callbacks.symbol_addr_lookup(context, thread, name, &address, file_name);
	const ompd_rc_t rc = normalized(said, ompd_rc_error, ompd_rc_unavailable);

	if (rc == ompd_rc_ok)
		*ret = address.address;
	return rc;
}

ompd_rc_t callback_symbol(ompd_address_space_context_t *context, const char *name,
			  const char *file_name, ompd_addr_t *ret)
{
	return find_symbol(context, NULL, name, file_name, ret);
}

ompd_rc_t callback_thread_symbol(ompd_address_space_context_t *context, ompd_thread_id_t kind,
				 ompd_size_t size, const void *id, const char *name,
				 const char *file_name, ompd_addr_t *ret)
{
	ompd_thread_context_t *thread = NULL;
	const ompd_rc_t said =
		callbacks.get_thread_context_for_thread_id(context, kind, size, id, &thread);

	if (said == ompd_rc_stale_handle)
		return said;
	if (said != ompd_rc_ok || !thread)
		return ompd_rc_unavailable;
	return find_symbol(context, thread, name, file_name, ret);
}

ompd_rc_t callback_read(ompd_address_space_context_t *context, ompd_addr_t address,
			ompd_size_t size, void *buffer)
{
	const ompd_address_t from = {ompd_segment_none, address};

	return normalized(callbacks.read_memory(context, NULL, &from, size, buffer), ompd_rc_error,
			  ompd_rc_error);
}

ompd_rc_t callback_read_string(ompd_address_space_context_t *context, ompd_addr_t address,
			       ompd_size_t size, char *buffer)
{
	const ompd_address_t from = {ompd_segment_none, address};
	const ompd_rc_t said = callbacks.read_string(context, NULL, &from, size, buffer);

	if (said == ompd_rc_incomplete)
		return ompd_rc_incomplete;
	return normalized(said, ompd_rc_error, ompd_rc_error);
}

ompd_rc_t callback_to_host(ompd_address_space_context_t *context, const void *input,
			   ompd_size_t unit_size, ompd_size_t count, void *output)
{
	return normalized(callbacks.device_to_host(context, input, unit_size, count, output),
			  ompd_rc_ok, ompd_rc_ok);
}

ompd_rc_t callback_knows_thread(ompd_address_space_context_t *context, ompd_thread_id_t kind,
				ompd_size_t size, const void *id, bool *ret)
{
	ompd_thread_context_t *thread = NULL;
	const ompd_rc_t said =
		callbacks.get_thread_context_for_thread_id(context, kind, size, id, &thread);

	if (said == ompd_rc_stale_handle || said == ompd_rc_unsupported)
		return said;
	*ret = said == ompd_rc_ok;
	return ompd_rc_ok;
}
