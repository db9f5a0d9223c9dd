/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks of a libomp as the one block that the tool gets.
 */
#include "runtime/common/blocks.h"
#include "runtime/llvm/answers.h"
#include "runtime/llvm/picture_tasks.h"

static ompdx_task_kind_t kind_of(const struct picture *picture, const struct task_data *data)
{
	const uint32_t team = address_map_get(&picture->team_of_address, data->td_team);

	if (data->explicit_task)
		return ompdx_task_explicit;
	if (team != ADDRESS_MAP_NONE &&
	    picture_team(picture, team)->nesting.kind == NESTING_REGIONS)
		return ompdx_task_implicit;
	return ompdx_task_initial;
}

static const char *text_at(const char *text, uint32_t place)
{
	return place ? text + place - 1 : NULL;
}

static void write_task(const struct picture_tasks *tasks, const struct seen_task *seen,
		       const char *text, ompdx_task_t *ret)
{
	const struct picture *picture = tasks->picture;

	ret->address = seen->data.address;
	ret->kind = kind_of(picture, &seen->data);
	ret->state = seen->state;
	ret->thread = seen->thread;
	ret->creator = picture_place_of(picture, seen->data.td_alloc_thread);
	ret->team = seen->data.td_team;
	ret->parent = seen->parent;
	ret->children = seen->data.td_incomplete_child_tasks;
	ret->priority = seen->data.priority;
	ret->predecessors = seen->predecessors;
	ret->tied = seen->data.tied;
	ret->final = seen->data.final;
	ret->undeferred = seen->data.explicit_task && seen->data.undeferred;
	ret->taskwait = seen->data.td_taskwait_thread > 0;
	ret->taskgroup = seen->data.td_taskgroup;
	ret->taskgroup_count = seen->taskgroup_count;
	ret->taskgroup_cancelled = seen->taskgroup_cancelled;
	ret->function = seen->data.routine;
	ret->source = text_at(text, seen->source);
	ret->taskwait_source = text_at(text, seen->taskwait_source);
}

static ompd_rc_t write_tasks(const struct picture_tasks *tasks, void **ret)
{
	struct tasks_block block;
	const ompd_rc_t rc = tasks_block_create(tasks->tasks.count, &tasks->dependences,
						&tasks->picture->text, &block);

	if (rc != ompd_rc_ok)
		return rc;
	block.answer->problem = tasks->walk.problem;
	for (size_t i = 0; i < tasks->tasks.count; i++)
		write_task(tasks, picture_task(tasks, i), block.text, &block.tasks[i]);
	*ret = block.answer;
	return ompd_rc_ok;
}

ompd_rc_t llvm_tasks(void *from, void **ret)
{
	struct picture *picture = from;
	struct picture_tasks tasks;
	ompd_rc_t rc;

	if (!picture->llvm->knows_tasks)
		return ompd_rc_unavailable;
	rc = picture_tasks_read(&tasks, picture);
	if (rc == ompd_rc_ok)
		rc = write_tasks(&tasks, ret);
	picture_tasks_deinit(&tasks);
	return rc;
}
