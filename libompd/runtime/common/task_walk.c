/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/common/task_walk.h"

#include "target/limits.h"

void task_walk_note(struct task_walk *walk, enum diagnostic_code code, target_addr address,
		    ompdx_problem_t problem)
{
	diagnostics_note_address(walk->diagnostics, code, address);
	if (walk->problem == ompdx_problem_none)
		walk->problem = problem;
}

bool task_walk_step(struct task_walk *walk, target_addr address)
{
	if (walk->steps < TASK_STEPS_MAX) {
		walk->steps++;
		return true;
	}
	task_walk_note(walk, DIAGNOSTIC_tasks_cut, address, ompdx_problem_limit);
	return false;
}
