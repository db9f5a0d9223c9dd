/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks of a libgomp as the one block that the tool gets.
 */
#include "runtime/common/blocks.h"
#include "runtime/gomp/answers.h"
#include "runtime/gomp/picture_tasks.h"

static ompdx_task_kind_t kind_of(const struct picture *picture, const struct seen_task *seen)
{
	if (seen->data.kind != GOMP_TASK_IMPLICIT)
		return ompdx_task_explicit;
	return address_map_get(&picture->team_of_address, seen->team) == ADDRESS_MAP_NONE
		       ? ompdx_task_initial
		       : ompdx_task_implicit;
}

static void write_task(const struct picture_tasks *tasks, const struct seen_task *seen,
		       ompdx_task_t *ret)
{
	const bool undeferred = seen->data.kind == GOMP_TASK_UNDEFERRED;
	/* libgomp does not fill these in of the others. */
	const bool deferred = !undeferred && seen->data.kind != GOMP_TASK_IMPLICIT;

	ret->address = seen->data.address;
	ret->kind = kind_of(tasks->picture, seen);
	ret->state = seen->state;
	ret->thread = seen->thread;
	ret->creator = UINT32_MAX;
	ret->team = seen->team;
	ret->parent = seen->parent;
	ret->children = tasks->walk.problem == ompdx_problem_none ? seen->children : -1;
	ret->priority = deferred && seen->data.priority > 0 ? seen->data.priority : -1;
	ret->predecessors = -1;
	if (deferred && seen->data.num_dependees <= INT32_MAX)
		ret->predecessors = (int32_t)seen->data.num_dependees;
	/* libgomp has no others: whoever begins a task ends it. */
	ret->tied = 1;
	ret->final = seen->data.final_task;
	ret->undeferred = undeferred;
	ret->taskwait = seen->taskwait;
	ret->taskgroup = seen->data.taskgroup;
	ret->taskgroup_count = seen->taskgroup_count;
	ret->taskgroup_cancelled = seen->taskgroup_cancelled;
	ret->function = deferred ? seen->data.fn : 0;
}

ompd_rc_t gomp_tasks(void *from, void **ret)
{
	struct picture *picture = from;
	struct picture_tasks tasks;
	struct tasks_block block;
	ompd_rc_t rc = gomp_picture_tasks(&tasks, picture);

	if (rc == ompd_rc_ok)
		rc = tasks_block_create(tasks.tasks.count, &tasks.dependences, NULL, &block);
	if (rc == ompd_rc_ok) {
		block.answer->problem = tasks.walk.problem;
		for (size_t i = 0; i < tasks.tasks.count; i++)
			write_task(&tasks, picture_task(&tasks, i), &block.tasks[i]);
		*ret = block.answer;
	}
	gomp_picture_tasks_deinit(&tasks);
	return rc;
}
