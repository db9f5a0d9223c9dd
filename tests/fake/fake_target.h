/* SPDX-License-Identifier: Apache-2.0
 *
 * A process that exists only inside a test: memory, symbols and threads of a machine with any pointer
 * width and byte order. It knows nothing of OpenMP; fake_libomp.h builds a runtime in it, and
 * fake_debugger.h lets a library look at it through OMPD's callbacks.
 *
 * A test that asks for something impossible (memory mapped twice, a write to nowhere) is wrong itself:
 * these routines then abort.
 */
#ifndef FAKE_TARGET_H
#define FAKE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompd.h"

struct fake_machine {
	unsigned pointer_size; /* 4 or 8 */
	bool big_endian;
};

struct fake_target;

struct fake_target *fake_target_create(struct fake_machine machine);
void fake_target_destroy(struct fake_target *target);

struct fake_machine fake_machine_of(const struct fake_target *target);
/* The how many-th target it is, of all that there have been. */
unsigned fake_target_number(const struct fake_target *target);

/* What the debugger hands to the library. The contexts of destroyed targets are remembered: a library
 * that uses one is caught. */
ompd_address_space_context_t *fake_context(struct fake_target *target);
/* NULL: no target, or one that was destroyed. */
struct fake_target *fake_target_of(const ompd_address_space_context_t *context);

/* ---- Memory ---- */

/* Maps zeroed memory. */
void fake_map(struct fake_target *target, uint64_t address, uint64_t size);
/* Makes mapped memory unreadable, as pages that a core file does not hold. Writing still works. */
void fake_hide(struct fake_target *target, uint64_t address, uint64_t size);
void fake_unhide_all(struct fake_target *target);

/* false: not all of it is mapped and readable; the buffer then holds what came before. */
bool fake_read(const struct fake_target *target, uint64_t address, uint64_t size, void *buffer);
void fake_write(struct fake_target *target, uint64_t address, const void *bytes, uint64_t size);

/* The how many-th piece of its memory; NULL: there are no more. */
const uint8_t *fake_memory(const struct fake_target *target, size_t number, uint64_t *address,
			   uint64_t *size);

/* Integers in the target's byte order. */
void fake_put(struct fake_target *target, uint64_t address, unsigned size, uint64_t value);
uint64_t fake_get(const struct fake_target *target, uint64_t address, unsigned size);
void fake_put_pointer(struct fake_target *target, uint64_t address, uint64_t value);
uint64_t fake_get_pointer(const struct fake_target *target, uint64_t address);
void fake_put_string(struct fake_target *target, uint64_t address, const char *string);

/* Bytes of an integer, as the target stores it. */
void fake_encode(struct fake_machine machine, uint64_t value, unsigned size, uint8_t *bytes);

/* ---- What the debugger knows besides ---- */

/* object: path of the library that holds it, NULL: the executable. Objects are searched in the order of
 * their first symbol. Neither string is copied. */
void fake_add_symbol(struct fake_target *target, const char *object, const char *name,
		     uint64_t address);
/* Forgets every symbol of that name. */
void fake_forget_symbol(struct fake_target *target, const char *name);
bool fake_find_symbol(const struct fake_target *target, const char *object, const char *name,
		      uint64_t *address);

/* The name of the how many-th symbol; NULL: there are no more. */
const char *fake_symbol(const struct fake_target *target, size_t number, uint64_t *address);

void fake_add_thread(struct fake_target *target, uint64_t pthread_id, uint64_t lwp);
size_t fake_thread_count(const struct fake_target *target);
/* The number of a thread, or -1. */
int fake_thread_by_pthread(const struct fake_target *target, uint64_t pthread_id);
int fake_thread_by_lwp(const struct fake_target *target, uint64_t lwp);
uint64_t fake_pthread_of(const struct fake_target *target, size_t thread);
uint64_t fake_lwp_of(const struct fake_target *target, size_t thread);

#endif /* FAKE_TARGET_H */
