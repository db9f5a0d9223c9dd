/* SPDX-License-Identifier: Apache-2.0
 *
 * The tasks of a libomp as the one block that the tool gets.
 */
#include <string.h>

#include "runtime/llvm/picture_tasks.h"
#include "target/callbacks.h"

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
	const uint32_t creator =
		address_map_get(&picture->thread_of_address, seen->data.td_alloc_thread);

	ret->size = sizeof(*ret);
	ret->address = seen->data.address;
	ret->kind = kind_of(picture, &seen->data);
	ret->state = seen->state;
	ret->thread = seen->gtid;
	ret->creator =
		creator == ADDRESS_MAP_NONE ? -1 : picture_thread(picture, creator)->info.ds_gtid;
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
	ret->function = seen->data.routine;
	ret->source = text_at(text, seen->source);
	ret->taskwait_source = text_at(text, seen->taskwait_source);
}

static ompd_rc_t write_tasks(const struct picture_tasks *tasks, ompdx_tasks_t **ret)
{
	const size_t dependences =
		sizeof(ompdx_tasks_t) + tasks->tasks.count * sizeof(ompdx_task_t);
	const size_t text = dependences + tasks->dependences.count * sizeof(ompdx_dependence_t);
	const struct vector *texts = &tasks->picture->text;
	ompdx_tasks_t *answer;
	void *block = NULL;
	const ompd_rc_t rc = callback_alloc(1, text + texts->count, &block);

	if (rc != ompd_rc_ok)
		return rc;
	answer = block;
	answer->size = sizeof(*answer);
	answer->task_count = (uint32_t)tasks->tasks.count;
	answer->dependence_count = (uint32_t)tasks->dependences.count;
	answer->tasks = (void *)(answer + 1);
	answer->dependences = (void *)((char *)block + dependences);
	answer->problem = tasks->problem;
	for (size_t i = 0; i < tasks->tasks.count; i++)
		write_task(tasks, picture_task(tasks, i), (char *)block + text,
			   (ompdx_task_t *)(answer + 1) + i);
	if (tasks->dependences.count)
		memcpy((char *)block + dependences, tasks->dependences.items,
		       tasks->dependences.count * sizeof(ompdx_dependence_t));
	if (texts->count)
		memcpy((char *)block + text, texts->items, texts->count);
	*ret = answer;
	return ompd_rc_ok;
}

ompd_rc_t llvm_tasks(struct address_space *space, ompdx_tasks_t **ret)
{
	struct picture_tasks tasks;
	struct picture picture;
	struct llvm *llvm;
	ompd_rc_t rc = llvm_threads_ready(space, &llvm);

	if (rc != ompd_rc_ok)
		return rc;
	if (!llvm->knows_tasks)
		return ompd_rc_unavailable;
	memset(&tasks, 0, sizeof(tasks));
	rc = picture_read(&picture, space, llvm);
	if (rc == ompd_rc_ok)
		rc = picture_tasks_read(&tasks, &picture);
	if (rc == ompd_rc_ok)
		rc = write_tasks(&tasks, ret);
	picture_tasks_deinit(&tasks);
	picture_deinit(&picture);
	return rc;
}
