/* SPDX-License-Identifier: Apache-2.0
 *
 * The blocks of ompd-ext.h as a runtime fills them: each is one allocation, its arrays behind its head.
 */
#ifndef RUNTIME_COMMON_BLOCKS_H
#define RUNTIME_COMMON_BLOCKS_H

#include "ompd-ext.h"
#include "target/vector.h"

struct view_counts {
	size_t natives; /* of the threads, those that the tool brought */
	size_t threads, regions, levels, members;
	const struct vector *text; /* of char; NULL: none */
};

/* The arrays of a view, to be written. */
struct view_block {
	ompdx_view_t *view;
	ompdx_view_thread_t *threads; /* nothing is known of them yet */
	ompdx_view_region_t *regions;
	ompdx_view_level_t *levels;
	uint32_t *members;
	const char *text;
};

ompd_rc_t view_block_create(const struct view_counts *counts, struct view_block *ret);

struct tasks_block {
	ompdx_tasks_t *answer;
	ompdx_task_t *tasks; /* to be written */
	const char *text;
};

/* dependences: of ompdx_dependence_t; text as above. */
ompd_rc_t tasks_block_create(size_t task_count, const struct vector *dependences,
			     const struct vector *text, struct tasks_block *ret);

struct locks_block {
	ompdx_locks_t *answer;
	ompdx_lock_t *locks; /* to be written */
};

/* waiters, variables: of uint32_t. */
ompd_rc_t locks_block_create(size_t lock_count, const struct vector *waiters,
			     const struct vector *variables, struct locks_block *ret);

/* Of ompdx_arrival_t and ompdx_team_arrivals_t (teams may be NULL), and of ompdx_loop_t. */
ompd_rc_t arrivals_block_create(const struct vector *arrivals, const struct vector *teams,
				ompdx_problem_t problem, void **ret);
ompd_rc_t loops_block_create(const struct vector *loops, ompdx_problem_t problem, void **ret);

struct doacross_block {
	ompdx_doacross_t *answer;
	ompdx_doacross_member_t *members; /* to be written */
};

ompd_rc_t doacross_block_create(uint32_t member_count, struct doacross_block *ret);

#endif /* RUNTIME_COMMON_BLOCKS_H */
