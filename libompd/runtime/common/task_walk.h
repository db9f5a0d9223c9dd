/* SPDX-License-Identifier: Apache-2.0
 *
 * How far may the walks over a runtime's tasks go, and what did they leave out? Queues and lists lead to each other,
 * and may lead back: the bound is that of all of them together.
 */
#ifndef RUNTIME_COMMON_TASK_WALK_H
#define RUNTIME_COMMON_TASK_WALK_H

#include <stdbool.h>

#include "ompd-ext.h"
#include "target/diagnostics.h"
#include "target/target.h"

struct task_walk {
	struct diagnostics *diagnostics;
	uint32_t steps;          /* up to TASK_STEPS_MAX */
	ompdx_problem_t problem; /* why there may be more tasks */
};

/* Something was left out. The first reason stays. */
void task_walk_note(struct task_walk *walk, enum diagnostic_code code, target_addr address,
		    ompdx_problem_t problem);

/* Whether a walk may go on to `address`. */
bool task_walk_step(struct task_walk *walk, target_addr address);

#endif /* RUNTIME_COMMON_TASK_WALK_H */
