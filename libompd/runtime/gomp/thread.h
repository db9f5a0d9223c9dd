/* SPDX-License-Identifier: Apache-2.0
 *
 * Native threads, and what they have of libgomp.
 */
#ifndef RUNTIME_GOMP_THREAD_H
#define RUNTIME_GOMP_THREAD_H

#include "runtime/gomp/gomp.h"

/* A native thread, and what it has of libgomp. */
struct gomp_native {
	uint64_t pthread;
	uint64_t lwp; /* 0: not known */
	struct gomp_thread thread;
};

/* unavailable: no thread has this id (any more). */
ompd_rc_t gomp_native_read(struct address_space *space, struct gomp *gomp, uint64_t pthread,
			   struct gomp_native *ret);

/* Of a handle's thread. stale_handle: it has ended. */
ompd_rc_t gomp_thread_of_entity(struct address_space *space, struct gomp *gomp,
				struct entity thread, struct gomp_thread *ret);
struct entity gomp_entity_of(const struct gomp_native *native);

/* All threads that can be found, as gomp_seen: those that the C library lists or, where it has no list, those that the
 * tool has asked for; and the program's first, 0: not known. incomplete: there may be more. */
ompd_rc_t gomp_pthreads(struct address_space *space, struct gomp *gomp, struct vector *pthreads,
			uint64_t *initial);

/* The program's first thread. unavailable: not known. */
ompd_rc_t gomp_initial_pthread(struct address_space *space, struct gomp *gomp, uint64_t *ret);

#endif /* RUNTIME_GOMP_THREAD_H */
