/* SPDX-License-Identifier: Apache-2.0
 *
 * A libgomp in a fake process: the image as far as a library may look at it, three threads of one pool, and teams that
 * a test makes of them. The layouts are written down here once more, so that a mistake in the library's shows.
 */
#ifndef FAKE_GOMP_H
#define FAKE_GOMP_H

#include <stdbool.h>

#include "fake_elf.h"
#include "fake_target.h"

struct fake_gomp_layout {
	int release; /* of GCC, the first of those laid out so; 3 is 4.8, 4 is 4.9 */
	const char *name;
	uint64_t thread_size, task, release_semaphore, thread_pool, team_num; /* gomp_thread */
	uint64_t ordered_release, implicit_task;                              /* gomp_team */
	uint64_t task_size, num_dependees, pnode, icv, fn, kind;              /* gomp_task */
	uint64_t taskgroup_size, tls_behind;
};

/* By the first release of each. */
enum {
	FAKE_GCC_4_8,
	FAKE_GCC_4_9,
	FAKE_GCC_5,
	FAKE_GCC_6,
	FAKE_GCC_9,
	FAKE_GCC_11,
	FAKE_GCC_12,
	FAKE_GCC_13,
	FAKE_GOMP_LAYOUTS
};

extern const struct fake_gomp_layout fake_gomp_layouts[FAKE_GOMP_LAYOUTS];

enum { FAKE_GOMP_THREADS = 3 };

struct fake_gomp {
	struct fake_target *target;
	const struct fake_gomp_layout *layout;
	unsigned machine; /* 0: x86-64 */
	bool linked;      /* into the program */
	struct fake_image image;
	uint64_t pthreads[FAKE_GOMP_THREADS];
	uint64_t threads[FAKE_GOMP_THREADS]; /* gomp_thread; the first owns the pool */
	uint64_t pool;
};

/* A process with a libgomp that is laid out so, and has the symbol versions of `versions`. machine 0: x86-64; of others
 * than AArch64 there is no code. */
struct fake_gomp fake_gomp_create(const struct fake_gomp_layout *layout,
				  const struct fake_gomp_layout *versions, unsigned machine);
/* The same linked into a program, on x86-64: it exports nothing. */
struct fake_gomp fake_gomp_create_linked(const struct fake_gomp_layout *layout);
void fake_gomp_destroy(struct fake_gomp *gomp);

/* The three threads in a team, at an address of the test's: its implicit tasks are theirs. */
/* Where a team's task_queue is: until GCC 5 a pointer to its first task, of which the next one lies in next_queue. */
#define FAKE_GOMP_TASK_QUEUE (FAKE_GOMP_TEAM + 1288)
#define FAKE_GOMP_TEAM UINT64_C(0x7f0050000000)
#define FAKE_GOMP_TEAM_BYTES UINT64_C(0x1000)
void fake_gomp_parallel(struct fake_gomp *gomp);

/* The region ends: the workers go to the dock, and keep their ts. */
void fake_gomp_end(struct fake_gomp *gomp);

uint64_t fake_gomp_final_task(const struct fake_gomp_layout *layout); /* in gomp_task */
uint64_t fake_gomp_dyn_var(const struct fake_gomp_layout *layout);    /* in gomp_task_icv */
uint64_t fake_gomp_implicit_task(const struct fake_gomp *gomp, unsigned number);

#endif /* FAKE_GOMP_H */
