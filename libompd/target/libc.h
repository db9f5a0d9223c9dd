/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the C library tell of its threads?
 */
#ifndef TARGET_LIBC_H
#define TARGET_LIBC_H

#include <stdint.h>

#include "target/diagnostics.h"
#include "target/target.h"
#include "target/vector.h"

/* Where it keeps the kernel's thread id, from the address that a pthread id is. unsupported: it does not
 * tell, which is noted. */
ompd_rc_t libc_lwp_offset(const struct target *target, struct diagnostics *diagnostics,
			  uint64_t *offset);

/* How far behind the address that a pthread id is the thread pointer lies. On x86-64 it is the same; on AArch64 a
 * thread's structure ends there. unsupported: it does not tell, or the machine (e_machine) is another. */
ompd_rc_t libc_thread_pointer(const struct target *target, uint16_t machine, uint64_t *distance);

/* Where it keeps the function that a thread was created with. unsupported: it does not tell. */
ompd_rc_t libc_start_routine_offset(const struct target *target, uint64_t *offset);

/* Where it lists its threads: glibc has a list of those whose stacks it did not allocate, and one of the others. */
struct libc_lists {
	target_addr heads[2];
	uint64_t node; /* of a list, from the address that a pthread id is */
};

/* unsupported: it does not tell. */
ompd_rc_t libc_lists_find(const struct target *target, struct libc_lists *ret);

/* Whether a thread's structure lies there: its neighbours in the list say so. unavailable: they do not. */
ompd_rc_t libc_listed(const struct target *target, const struct libc_lists *lists,
		      uint64_t pthread);

/* Adds the pthread ids of all threads to `threads`, of uint64_t, and sets *initial to the program's first; 0: it has
 * ended, or cannot be told. incomplete: a list does not end, or leads into unreadable memory; what was found is there. */
ompd_rc_t libc_threads(const struct target *target, const struct libc_lists *lists,
		       struct vector *threads, uint64_t *initial);

#endif /* TARGET_LIBC_H */
