/* SPDX-License-Identifier: Apache-2.0
 *
 * All tasks of a libgomp that can be found at one stop. They are reached from the threads' current tasks, the implicit
 * tasks and queues of the teams that are alive, and from each task its parent, its children, its taskgroup's tasks,
 * and those that depend on it: a task that waits for others is in no queue.
 */
#ifndef RUNTIME_GOMP_PICTURE_TASKS_H
#define RUNTIME_GOMP_PICTURE_TASKS_H

#include "runtime/common/task_walk.h"
#include "runtime/gomp/picture.h"

struct seen_task {
	struct gomp_task data;
	target_addr team; /* of its region, as in a view: a team's address, or a thread's */
	ompdx_task_state_t state;
	uint32_t thread; /* who executes it: its place; PICTURE_NONE */
	uint32_t parent; /* an index into tasks; PICTURE_NONE */
	int32_t children;
	bool queued;
	bool begot; /* a task or region that it made is under way, perhaps on its own thread */
	bool taskwait;
	int32_t taskgroup_count; /* -1: in no taskgroup, or not known */
	bool taskgroup_cancelled;
};

struct picture_tasks {
	struct picture *picture;
	struct vector tasks;       /* struct seen_task */
	struct vector dependences; /* ompdx_dependence_t */
	struct address_map task_of_address;
	struct address_map walked_taskgroups;
	struct task_walk walk;
};

/* Reads the tasks of a picture; gomp_picture_tasks_deinit is due in any case. */
ompd_rc_t gomp_picture_tasks(struct picture_tasks *tasks, struct picture *picture);
void gomp_picture_tasks_deinit(struct picture_tasks *tasks);

static inline struct seen_task *picture_task(const struct picture_tasks *tasks, size_t index)
{
	return vector_at(&tasks->tasks, index);
}

#endif /* RUNTIME_GOMP_PICTURE_TASKS_H */
