/* SPDX-License-Identifier: Apache-2.0
 *
 * What we hold of one libgomp: where it keeps what. Everything here is fixed for the life of the image;
 * whatever the program can change is read anew by each call.
 *
 * libgomp has no list of its threads: each has its gomp_thread in thread-local storage, at a fixed distance from the
 * thread pointer, which on x86-64 with glibc is the pthread id. A region is named by one word: the address of its
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

#include "runtime/gomp/structures.h"
#include "runtime/runtime.h"
#include "target/libc.h"
#include "target/vector.h"

struct gomp {
	const struct record *record; /* NULL: not proven yet */
	bool not_started;            /* as the last attempt found: not relocated yet */
	uint64_t tls_offset;         /* of gomp_tls_data, from the thread pointer */
	target_addr
		thread_start; /* with which it creates its threads, if it is linked into the program; 0: not
				     known */
	bool lists_asked, has_lists; /* of the C library's threads */
	struct libc_lists lists;
	bool lwp_asked, has_lwp;
	uint64_t lwp_offset;
	struct vector
		seen; /* target_addr: pthreads that a tool asked for, as hints where there are no lists */
};

/* The space's libgomp, proven to be laid out as its release.
 * unavailable: it is not, or not started; the diagnostics say why. Tried again at the next call. */
ompd_rc_t gomp_ready(struct address_space *space, struct gomp **ret);

/* Finds gomp_tls_data, and proves the layout of the image's release; see gomp_ready. */
ompd_rc_t gomp_resolve(struct address_space *space, struct gomp *gomp);

/* ---- Threads ---- */

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

/* ---- Regions ---- */

enum { REGION_TEAM = 0, REGION_INITIAL = 1, REGION_LEAGUE = 2, REGION_MARK = 3 };

/* Whether it is in a team of a league; false: also where that is not recorded, or cannot be. */
bool gomp_in_league(const struct gomp_thread *thread);

/* What a region without a team is called. */
target_addr gomp_initial_region(target_addr thread);
/* The same for the region that a thread outside of all parallel regions is in: perhaps a team of a league. */
target_addr gomp_outer_region(const struct gomp_thread *thread);
unsigned gomp_region_kind(target_addr region);
/* Of a region without a team: whose it is. */
target_addr gomp_region_thread(target_addr region);

/* Whether this is a state inside a parallel region. */
bool gomp_in_region(const struct gomp_team_state *ts);

/* Reads the team of a state inside a region and proves it. error: unreadable, or contradictory; noted. */
ompd_rc_t gomp_team_of_state(struct address_space *space, const struct gomp *gomp,
			     const struct gomp_team_state *ts, struct gomp_team *ret);

/* The same of a region's team, of which the level is not known. */
ompd_rc_t gomp_team_at(struct address_space *space, const struct gomp *gomp, target_addr address,
		       struct gomp_team *ret);

/* Where thread `number` of a team stands in it. unavailable: it is not known who that is, or in it any more. */
ompd_rc_t gomp_member(struct address_space *space, struct gomp *gomp, const struct gomp_team *team,
		      int32_t number, struct gomp_native *ret);

/* Whether a worker of a pool is not in the region that its ts tells of: at the dock for certain. */
bool gomp_docked(const struct gomp_thread *thread, const struct gomp_thread_pool *pool);

/* The thread that all regions around this team began with. */
ompd_rc_t gomp_root(struct address_space *space, struct gomp *gomp, const struct gomp_team *team,
		    struct gomp_native *ret);

/* The region that the thread is in now. unavailable: in none. */
ompd_rc_t gomp_region_of(struct address_space *space, struct gomp *gomp,
			 const struct gomp_thread *thread, target_addr *ret);

/* The same of a handle's thread. *thread is written also when it is in no region. */
ompd_rc_t gomp_region_of_entity(struct address_space *space, struct entity entity,
				struct gomp **gomp, struct gomp_thread *thread, target_addr *ret);

/* The answers to runtime.h's questions. */
ompd_rc_t gomp_thread_of_pthread(struct address_space *space, uint64_t pthread,
				 struct entity *thread);
ompd_rc_t gomp_thread_of_lwp(struct address_space *space, uint64_t lwp, struct entity *thread);
ompd_rc_t gomp_pthread_of_thread(struct address_space *space, struct entity thread,
				 uint64_t *pthread);
ompd_rc_t gomp_lwp_of_thread(struct address_space *space, struct entity thread, uint64_t *lwp);
ompd_rc_t gomp_thread_in_region(struct address_space *space, struct entity region, int thread_num,
				struct entity *thread);
ompd_rc_t gomp_region_of_thread(struct address_space *space, struct entity thread,
				struct entity *region);
ompd_rc_t gomp_enclosing_region(struct address_space *space, struct entity region,
				struct entity *enclosing);
ompd_rc_t gomp_region_of_task(struct address_space *space, struct entity task,
			      struct entity *region);
ompd_rc_t gomp_task_of_thread(struct address_space *space, struct entity thread,
			      struct entity *task);
ompd_rc_t gomp_task_in_region(struct address_space *space, struct entity region, int thread_num,
			      struct entity *task);
ompd_rc_t gomp_initial_thread(struct address_space *space, struct entity *thread);
ompd_rc_t gomp_initial_task(struct address_space *space, struct entity *task);
ompd_rc_t gomp_generating_task(struct address_space *space, struct entity task,
			       struct entity *generating);
ompd_rc_t gomp_function_of_task(struct address_space *space, struct entity task, target_addr *ret);
ompd_rc_t gomp_state_of_thread(struct address_space *space, struct entity thread,
			       ompd_word_t *state, ompd_wait_id_t *wait_id);

ompd_rc_t gomp_icv(struct address_space *space, enum icv icv, struct entity entity,
		   struct icv_value *value);
ompd_rc_t gomp_picture(struct address_space *space, const ompdx_native_thread_t *threads,
		       ompd_size_t thread_count, void **ret);
void gomp_picture_free(void *picture);
ompd_rc_t gomp_view(void *picture, void **block);
ompd_rc_t gomp_tasks(void *picture, void **block);
ompd_rc_t gomp_arrivals(void *picture, void **block);
ompd_rc_t gomp_loops(void *picture, void **block);
ompd_rc_t gomp_locks(void *picture, const ompdx_lock_variable_t *variables,
		     ompd_size_t variable_count, void **block);

#endif /* RUNTIME_GOMP_GOMP_H */
