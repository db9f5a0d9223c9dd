/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/common/blocks.h"

#include <string.h>

#include "target/callbacks.h"

static void copy_items(void *to, const struct vector *vector)
{
	if (vector && vector->count)
		memcpy(to, vector->items, vector->count * vector->item_size);
}

ompd_rc_t view_block_create(const struct view_counts *counts, struct view_block *ret)
{
	const size_t regions = sizeof(ompdx_view_t) + counts->threads * sizeof(ompdx_view_thread_t);
	const size_t levels = regions + counts->regions * sizeof(ompdx_view_region_t);
	const size_t members = levels + counts->levels * sizeof(ompdx_view_level_t);
	const size_t text = members + counts->members * sizeof(uint32_t);
	ompdx_view_t *view;
	void *block = NULL;
	const ompd_rc_t rc =
		callback_alloc(1, text + (counts->text ? counts->text->count : 0), &block);

	if (rc != ompd_rc_ok)
		return rc;
	view = block;
	ret->view = view;
	ret->threads = (void *)(view + 1);
	ret->regions = (void *)((char *)block + regions);
	ret->levels = (void *)((char *)block + levels);
	ret->members = (void *)((char *)block + members);
	ret->text = (char *)block + text;
	copy_items((char *)block + text, counts->text);
	view->size = sizeof(*view);
	view->thread_count = (uint32_t)counts->threads;
	view->region_count = (uint32_t)counts->regions;
	view->level_count = (uint32_t)counts->levels;
	view->member_count = (uint32_t)counts->members;
	view->threads = ret->threads;
	view->regions = ret->regions;
	view->levels = ret->levels;
	view->members = ret->members;
	view->level_size = sizeof(*view->levels);
	view->member_size = sizeof(*view->members);
	for (size_t i = 0; i < counts->threads; i++) {
		ompdx_view_thread_t *thread = &ret->threads[i];

		thread->size = sizeof(*thread);
		thread->native = i < counts->natives ? (uint32_t)i : UINT32_MAX;
		thread->runtime_id = -1;
		thread->task_final = -1;
		thread->tracked_state = -1;
		thread->ident_flags = -1;
	}
	for (size_t i = 0; i < counts->regions; i++) {
		ret->regions[i].size = sizeof(ret->regions[i]);
		ret->regions[i].league_size = -1;
		ret->regions[i].team_num = -1;
	}
	return ompd_rc_ok;
}

ompd_rc_t tasks_block_create(size_t task_count, const struct vector *dependences,
			     const struct vector *text, struct tasks_block *ret)
{
	const size_t after_tasks = sizeof(ompdx_tasks_t) + task_count * sizeof(ompdx_task_t);
	const size_t text_at = after_tasks + dependences->count * sizeof(ompdx_dependence_t);
	ompdx_tasks_t *answer;
	void *block = NULL;
	const ompd_rc_t rc = callback_alloc(1, text_at + (text ? text->count : 0), &block);

	if (rc != ompd_rc_ok)
		return rc;
	answer = block;
	ret->answer = answer;
	ret->tasks = (void *)(answer + 1);
	ret->text = (char *)block + text_at;
	copy_items((char *)block + after_tasks, dependences);
	copy_items((char *)block + text_at, text);
	answer->size = sizeof(*answer);
	answer->task_count = (uint32_t)task_count;
	answer->dependence_count = (uint32_t)dependences->count;
	answer->tasks = ret->tasks;
	answer->dependences = (void *)((char *)block + after_tasks);
	answer->dependence_size = sizeof(*answer->dependences);
	for (size_t i = 0; i < task_count; i++)
		ret->tasks[i].size = sizeof(ret->tasks[i]);
	return ompd_rc_ok;
}

ompd_rc_t locks_block_create(size_t lock_count, const struct vector *waiters,
			     const struct vector *variables, struct locks_block *ret)
{
	const size_t waiters_at = sizeof(ompdx_locks_t) + lock_count * sizeof(ompdx_lock_t);
	const size_t variables_at = waiters_at + waiters->count * sizeof(uint32_t);
	ompdx_locks_t *answer;
	void *block = NULL;
	const ompd_rc_t rc =
		callback_alloc(1, variables_at + variables->count * sizeof(uint32_t), &block);

	if (rc != ompd_rc_ok)
		return rc;
	answer = block;
	ret->answer = answer;
	ret->locks = (void *)(answer + 1);
	copy_items((char *)block + waiters_at, waiters);
	copy_items((char *)block + variables_at, variables);
	answer->size = sizeof(*answer);
	answer->lock_count = (uint32_t)lock_count;
	answer->waiter_count = (uint32_t)waiters->count;
	answer->variable_count = (uint32_t)variables->count;
	answer->locks = ret->locks;
	answer->waiters = (void *)((char *)block + waiters_at);
	answer->variables = (void *)((char *)block + variables_at);
	answer->waiter_size = sizeof(*answer->waiters);
	answer->variable_size = sizeof(*answer->variables);
	for (size_t i = 0; i < lock_count; i++)
		ret->locks[i].size = sizeof(ret->locks[i]);
	return ompd_rc_ok;
}

ompd_rc_t arrivals_block_create(const struct vector *arrivals, const struct vector *teams,
				ompdx_problem_t problem, void **ret)
{
	const size_t teams_at =
		sizeof(ompdx_arrivals_t) + arrivals->count * sizeof(ompdx_arrival_t);
	const size_t team_count = teams ? teams->count : 0;
	ompdx_arrivals_t *answer;
	void *block = NULL;
	const ompd_rc_t rc =
		callback_alloc(1, teams_at + team_count * sizeof(ompdx_team_arrivals_t), &block);

	if (rc != ompd_rc_ok)
		return rc;
	answer = block;
	answer->size = sizeof(*answer);
	answer->count = (uint32_t)arrivals->count;
	answer->problem = problem;
	answer->arrivals = (void *)(answer + 1);
	answer->team_count = (uint32_t)team_count;
	answer->teams = (void *)((char *)block + teams_at);
	copy_items(answer + 1, arrivals);
	copy_items((char *)block + teams_at, teams);
	*ret = answer;
	return ompd_rc_ok;
}

ompd_rc_t loops_block_create(const struct vector *loops, ompdx_problem_t problem, void **ret)
{
	ompdx_loops_t *answer;
	void *block = NULL;
	const ompd_rc_t rc =
		callback_alloc(1, sizeof(*answer) + loops->count * sizeof(ompdx_loop_t), &block);

	if (rc != ompd_rc_ok)
		return rc;
	answer = block;
	answer->size = sizeof(*answer);
	answer->count = (uint32_t)loops->count;
	answer->problem = problem;
	answer->loops = (void *)(answer + 1);
	copy_items(answer + 1, loops);
	*ret = answer;
	return ompd_rc_ok;
}

ompd_rc_t doacross_block_create(uint32_t member_count, struct doacross_block *ret)
{
	ompdx_doacross_t *answer;
	void *block = NULL;
	const ompd_rc_t rc = callback_alloc(
		1, sizeof(*answer) + member_count * sizeof(*answer->members), &block);

	if (rc != ompd_rc_ok)
		return rc;
	answer = block;
	ret->answer = answer;
	ret->members = (void *)(answer + 1);
	answer->size = sizeof(*answer);
	answer->posted = answer->owner = -1;
	answer->member_count = member_count;
	answer->members = ret->members;
	answer->member_size = sizeof(*answer->members);
	return ompd_rc_ok;
}
