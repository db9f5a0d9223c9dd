/* SPDX-License-Identifier: Apache-2.0
 *
 * A program of scenarios, as in states.h, whose threads wait for each other, or seem to.
 * Truth: everything of each thread, before it waits; in OMPD_TRUTH_FILE.waits: a line "holds TID NAME" or "wants TID NAME" for
 * each thread and object.
 */
#ifndef WAITS_H
#define WAITS_H

#include "states.h"

static inline void tell(const char *verb, const char *name)
{
	truth_append("waits", "%s %ld %s\n", verb, truth_tid(), name);
}

/* The last that a thread does before it waits. */
static inline void declare_in(const char *task)
{
	truth_record_as(0, 0, task);
	__atomic_add_fetch(&declared, 1, __ATOMIC_SEQ_CST);
}

static inline void declare(void)
{
	declare_in("implicit");
}

static inline void work_on(void)
{
	declare();
	stay();
}

static inline void meet(int *count, int threads)
{
	__atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
	until(count, threads);
}

#endif /* WAITS_H */
