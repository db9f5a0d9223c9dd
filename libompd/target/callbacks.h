/* SPDX-License-Identifier: Apache-2.0
 *
 * The debugger's callbacks, and nothing else uses them. Return codes of the callbacks are brought to
 * OMPD's for routines: what the specification lets a callback say keeps its meaning, everything else is
 * ompd_rc_callback_error.
 */
#ifndef TARGET_CALLBACKS_H
#define TARGET_CALLBACKS_H

#include <stdbool.h>

#include "ompd.h"

/* Whether every required callback is there. */
bool callbacks_complete(const ompd_callbacks_t *table);

/* From now on these are called; none is. */
void callbacks_use(const ompd_callbacks_t *table);
void callbacks_forget(void);

/* count elements of size bytes, zeroed. nomem when the debugger has none. */
ompd_rc_t callback_alloc(ompd_size_t count, ompd_size_t size, void **ret);
/* The same as it comes, for what is written before it is read. */
ompd_rc_t callback_alloc_to_fill(ompd_size_t count, ompd_size_t size, void **ret);

/* NULL is fine. */
void callback_free(void *block);

ompd_rc_t callback_sizeof(ompd_address_space_context_t *context, ompd_device_type_sizes_t *ret);

/* unavailable: no such symbol. */
ompd_rc_t callback_symbol(ompd_address_space_context_t *context, const char *name,
			  const char *file_name, ompd_addr_t *ret);

/* The same for a thread's own copy of a thread-local variable. unavailable also: no such thread. */
ompd_rc_t callback_thread_symbol(ompd_address_space_context_t *context, ompd_thread_id_t kind,
				 ompd_size_t size, const void *id, const char *name,
				 const char *file_name, ompd_addr_t *ret);

/* error: memory that is not there. */
ompd_rc_t callback_read(ompd_address_space_context_t *context, ompd_addr_t address,
			ompd_size_t size, void *buffer);

/* incomplete: no NUL within size; the buffer is then not terminated. */
ompd_rc_t callback_read_string(ompd_address_space_context_t *context, ompd_addr_t address,
			       ompd_size_t size, char *buffer);

ompd_rc_t callback_to_host(ompd_address_space_context_t *context, const void *input,
			   ompd_size_t unit_size, ompd_size_t count, void *output);

/* Whether the debugger knows a thread of this id. unsupported: it cannot tell for this kind. */
ompd_rc_t callback_knows_thread(ompd_address_space_context_t *context, ompd_thread_id_t kind,
				ompd_size_t size, const void *id, bool *ret);

#endif /* TARGET_CALLBACKS_H */
