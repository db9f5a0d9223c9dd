/* SPDX-License-Identifier: Apache-2.0
 *
 * All tasks of a libomp that can be found at one stop. No list of them exists: they are reached from the threads'
 * current tasks, the queues of the living teams, the dependences, and from each the task that generated it. A detached
 * one is in none of these; a queue still has its address in the place that it was taken from, until that is used again.
 */
#ifndef RUNTIME_LLVM_PICTURE_TASKS_H
#define RUNTIME_LLVM_PICTURE_TASKS_H

#include "runtime/common/task_walk.h"
#include "runtime/llvm/picture.h"
#include "runtime/llvm/task_structures.h"

struct seen_task {
	struct task_data data;
	ompdx_task_state_t state;
	uint32_t thread; /* who executes it, or whose queue it is in: its place; PICTURE_NONE */
	uint32_t parent; /* an index into tasks; PICTURE_NONE */
	int32_t predecessors; /* -1: not known */
	int32_t taskgroup_count;
	bool taskgroup_cancelled;
	int32_t children;         /* that were found, and are not complete */
	uint32_t source;          /* offset in the picture's text, + 1; 0: none */
	uint32_t taskwait_source; /* the same */
};

struct picture_tasks {
	struct picture *picture;
	struct vector tasks;       /* struct seen_task */
	struct vector dependences; /* ompdx_dependence_t */
	struct address_map task_of_address;
	struct task_walk walk;
	bool looks_at_taken; /* at the places of queues that tasks have been taken from */
};

/* Reads the tasks of a picture; picture_tasks_deinit is due in any case. */
ompd_rc_t picture_tasks_read(struct picture_tasks *tasks, struct picture *picture);
void picture_tasks_deinit(struct picture_tasks *tasks);

struct seen_task *picture_task(const struct picture_tasks *tasks, size_t index);

#endif /* RUNTIME_LLVM_PICTURE_TASKS_H */
