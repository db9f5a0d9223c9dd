/* SPDX-License-Identifier: Apache-2.0
 *
 * What a snapshot shows, as ompd-ext.h first declared it (version 5): what tools have been compiled with. Never
 * changed: a test walks the library's answers by it.
 */
#ifndef FIRST_DECLARATIONS_H
#define FIRST_DECLARATIONS_H

#include "ompd.h"

typedef enum ompdx_thread_kind_t {
	ompdx_thread_none = 0,
	ompdx_thread_initial = 1,
	ompdx_thread_worker = 2,
	ompdx_thread_root = 3,
	ompdx_thread_helper = 4
} ompdx_thread_kind_t;

typedef enum ompdx_task_kind_t {
	ompdx_task_none = 0,
	ompdx_task_initial = 1,
	ompdx_task_implicit = 2,
	ompdx_task_explicit = 3
} ompdx_task_kind_t;

typedef enum ompdx_problem_t {
	ompdx_problem_none = 0,
	ompdx_problem_unreadable = 1,
	ompdx_problem_inconsistent = 2,
	ompdx_problem_limit = 3
} ompdx_problem_t;

typedef struct ompdx_view_level_t {
	uint32_t region;
	int32_t thread_num;
} ompdx_view_level_t;

typedef struct ompdx_view_thread_t {
	ompd_size_t size;
	uint32_t native;
	ompdx_thread_kind_t kind;
	ompdx_problem_t problem;
	int32_t runtime_id;
	ompd_addr_t address;
	uint64_t pthread_id;
	uint32_t level_first;
	uint32_t level_count;
	ompd_addr_t task;
	ompdx_task_kind_t task_kind;
	int32_t task_final;
	int32_t tracked_state;
	uint32_t reserved;
	uint64_t tracked_wait_id;
	int32_t ident_flags;
	uint32_t reserved2;
	const char *ident_source;
} ompdx_view_thread_t;

typedef struct ompdx_view_region_t {
	ompd_size_t size;
	ompd_addr_t address;
	uint32_t serial_depth;
	uint32_t parent;
	uint32_t generator;
	int32_t serialized;
	int32_t level;
	int32_t active_level;
	int32_t team_size;
	int32_t league_size;
	int32_t team_num;
	ompdx_problem_t problem;
	ompd_addr_t function;
	const char *source;
	uint32_t member_first;
	uint32_t member_count;
	int32_t helpers;
	uint32_t reserved;
} ompdx_view_region_t;

typedef struct ompdx_view_t {
	ompd_size_t size;
	uint32_t thread_count;
	uint32_t region_count;
	uint32_t level_count;
	uint32_t member_count;
	const ompdx_view_thread_t *threads;
	const ompdx_view_region_t *regions;
	const ompdx_view_level_t *levels;
	const uint32_t *members;
	uint32_t level_size;
	uint32_t member_size;
	ompdx_problem_t problem;
	uint32_t reserved;
} ompdx_view_t;

typedef enum ompdx_task_state_t {
	ompdx_task_state_unknown = 0,
	ompdx_task_state_executing = 1,
	ompdx_task_state_suspended = 2,
	ompdx_task_state_ready = 3,
	ompdx_task_state_blocked = 4,
	ompdx_task_state_detached = 5,
	ompdx_task_state_finished = 6
} ompdx_task_state_t;

typedef struct ompdx_task_t {
	ompd_size_t size;
	ompd_addr_t address;
	ompdx_task_kind_t kind;
	ompdx_task_state_t state;
	uint32_t thread;
	uint32_t creator;
	ompd_addr_t team;
	uint32_t parent;
	int32_t children;
	int32_t priority;
	int32_t predecessors;
	int32_t tied;
	int32_t final;
	int32_t undeferred;
	int32_t taskwait;
	ompd_addr_t taskgroup;
	int32_t taskgroup_count;
	uint32_t reserved;
	ompd_addr_t function;
	const char *source;
	const char *taskwait_source;
} ompdx_task_t;

typedef struct ompdx_dependence_t {
	uint32_t task;
	uint32_t predecessor;
} ompdx_dependence_t;

typedef struct ompdx_tasks_t {
	ompd_size_t size;
	uint32_t task_count;
	uint32_t dependence_count;
	const ompdx_task_t *tasks;
	const ompdx_dependence_t *dependences;
	uint32_t dependence_size;
	ompdx_problem_t problem;
} ompdx_tasks_t;

typedef enum ompdx_lock_kind_t {
	ompdx_lock_unknown = 0,
	ompdx_lock_tas = 1,
	ompdx_lock_futex = 2,
	ompdx_lock_ticket = 3,
	ompdx_lock_queuing = 4,
	ompdx_lock_drdpa = 5
} ompdx_lock_kind_t;

typedef struct ompdx_lock_t {
	ompd_size_t size;
	ompd_addr_t address;
	ompdx_lock_kind_t kind;
	int32_t nested;
	int32_t held;
	uint32_t owner;
	int32_t owner_id;
	int32_t depth;
	int32_t waiting;
	uint32_t waiter_first;
	uint32_t waiter_count;
	ompdx_problem_t problem;
	uint64_t word;
} ompdx_lock_t;

typedef struct ompdx_locks_t {
	ompd_size_t size;
	uint32_t lock_count;
	uint32_t waiter_count;
	uint32_t variable_count;
	ompdx_problem_t problem;
	const ompdx_lock_t *locks;
	const uint32_t *waiters;
	const uint32_t *variables;
	uint32_t waiter_size;
	uint32_t variable_size;
} ompdx_locks_t;

typedef struct ompdx_arrival_t {
	ompd_size_t size;
	uint32_t thread;
	uint32_t arrived;
	uint32_t released;
	uint32_t reserved;
	uint64_t steps[3];
	uint64_t team_steps[3];
} ompdx_arrival_t;

typedef struct ompdx_arrivals_t {
	ompd_size_t size;
	uint32_t count;
	ompdx_problem_t problem;
	const ompdx_arrival_t *arrivals;
} ompdx_arrivals_t;

typedef enum ompdx_schedule_t {
	ompdx_schedule_unknown = 0,
	ompdx_schedule_static = 1,
	ompdx_schedule_dynamic = 2,
	ompdx_schedule_guided = 3,
	ompdx_schedule_trapezoidal = 4,
	ompdx_schedule_static_steal = 5
} ompdx_schedule_t;

typedef struct ompdx_loop_t {
	ompd_size_t size;
	ompd_addr_t team;
	uint32_t thread;
	int32_t thread_num;
	uint32_t loop;
	ompdx_schedule_t schedule;
	ompdx_problem_t problem;
	int32_t ordered;
	int32_t may_have_left;
	int32_t sections;
	int64_t iterations;
	int64_t chunk;
	int64_t handed_out;
	int64_t first;
	int64_t last;
	int64_t left;
	int64_t ordered_turn;
} ompdx_loop_t;

typedef struct ompdx_loops_t {
	ompd_size_t size;
	uint32_t count;
	ompdx_problem_t problem;
	const ompdx_loop_t *loops;
} ompdx_loops_t;

#endif /* FIRST_DECLARATIONS_H */
