/* SPDX-License-Identifier: Apache-2.0
 *
 * The debugged process as bytes: reads in its width and byte order, whatever the host's.
 */
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompd.h"
#include "target/diagnostics.h"

struct memory_cache;

typedef uint64_t target_addr;

struct target {
	ompd_address_space_context_t *context;
	ompd_device_type_sizes_t sizes;
	bool swapped; /* its byte order is not the host's */
	bool big_endian;
	struct diagnostics *diagnostics;
	struct memory_cache *cache; /* while memory does not change; NULL: it may */
};

/* Asks the debugger for the type sizes and the byte order, once per address space.
 * incompatible: sizes or an order that no supported target has. */
ompd_rc_t target_init(struct target *target, ompd_address_space_context_t *context,
		      struct diagnostics *diagnostics);

/* Raw bytes, in the target's order. */
ompd_rc_t target_read(const struct target *target, target_addr address, size_t size, void *buffer);

/* These bytes will be asked for in parts: if any are remembered, they are read at once. What comes of it the
 * reads tell. */
void target_expect(const struct target *target, target_addr address, size_t size);

/* Up to size - 1 bytes of a string, always NUL-terminated. incomplete: it is longer. */
ompd_rc_t target_read_string(const struct target *target, target_addr address, size_t size,
			     char *buffer);

/* The number in size bytes (1, 2, 4, 8) as they were read; 0 for another size. */
uint64_t target_decode(const struct target *target, const void *bytes, size_t size);

/* The same, sign-extended. */
int64_t target_decode_signed(const struct target *target, const void *bytes, size_t size);

/* The reverse of target_decode; size as there. */
void target_encode(const struct target *target, uint64_t value, size_t size, void *bytes);

ompd_rc_t target_read_unsigned(const struct target *target, target_addr address, size_t size,
			       uint64_t *ret);
ompd_rc_t target_read_pointer(const struct target *target, target_addr address, target_addr *ret);

/* count pointers at address, decoded. */
ompd_rc_t target_read_pointers(const struct target *target, target_addr address, size_t count,
			       target_addr *ret);

/* The debugger's answer for a symbol, looked for in file_name first (NULL: anywhere).
 * unavailable: it knows none. */
ompd_rc_t target_symbol(const struct target *target, const char *name, const char *file_name,
			target_addr *ret);

/* The same for the copy that the thread of this kernel id has of a thread-local variable. */
ompd_rc_t target_thread_symbol(const struct target *target, uint64_t lwp, const char *name,
			       const char *file_name, target_addr *ret);

#endif /* TARGET_TARGET_H */
