/* SPDX-License-Identifier: Apache-2.0
 *
 * What we hold of one libgomp: where it keeps what. Everything here is fixed for the life of the image;
 * whatever the program can change is read anew by each call.
 *
 * libgomp has no list of its threads: each has its gomp_thread in thread-local storage, at a fixed distance from the
 * thread pointer, which glibc's pthread ids have theirs from, too. A region is named by one word: the address of its
 * gomp_team, or for a region that has none, the initial one of a thread or its part of a league, that of the
 * thread's gomp_thread and a mark in the lowest bits.
 *
 *   entity    address           part
 *   thread    gomp_thread       the kernel's id of the thread; 0: not known
 *   region    its word          0
 *   task      gomp_task         the word of the region that it belongs to
 *             (of an initial task that has none: the region's word)
 */
#ifndef RUNTIME_GOMP_GOMP_H
#define RUNTIME_GOMP_GOMP_H

#include "address_space.h"
#include "runtime/gomp/structures.h"
#include "runtime/runtime.h"
#include "target/environment.h"
#include "target/libc.h"
#include "target/vector.h"

struct gomp {
	const struct record *record; /* NULL: not proven yet */
	bool not_started;            /* as the last attempt found: not relocated yet */
	struct attempt at_resolving;
	uint64_t thread_pointer; /* from the address that a pthread id is */
	uint64_t tls_offset;     /* of gomp_tls_data, from the same */
	target_addr
		thread_start; /* with which it creates its threads, if it is linked into the program; 0: not
				     known */
	bool lists_asked, has_lists; /* of the C library's threads */
	struct libc_lists lists;
	struct environment environment;
	bool lwp_asked, has_lwp;
	uint64_t lwp_offset;
	struct vector
		seen; /* target_addr: pthreads that a tool asked for, as hints where there are no lists */
};

#endif /* RUNTIME_GOMP_GOMP_H */
