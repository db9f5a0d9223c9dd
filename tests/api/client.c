/* SPDX-License-Identifier: Apache-2.0 */
#include "client.h"

#ifdef OF_TODAY
#include "ompd-ext.h"
#define NAME(part) todays_client_##part
#else
#include "first_declarations.h"
#define NAME(part) first_client_##part
#endif

/* The element of an array whose elements are so long. */
#define AT(array, i, stride) ((const void *)((const char *)(array) + (uint64_t)(i) * (stride)))

static uint64_t mixed(uint64_t digest, uint64_t value)
{
	return (digest ^ value) * UINT64_C(1099511628211) + 1;
}

static uint64_t of_text(uint64_t digest, const char *text)
{
	while (text && *text)
		digest = mixed(digest, (uint8_t)*text++);
	return digest;
}

static uint64_t of_numbers(uint64_t digest, const uint32_t *numbers, uint32_t count,
			   uint32_t stride)
{
	for (uint32_t i = 0; i < count; i++)
		digest = mixed(digest, *(const uint32_t *)AT(numbers, i, stride));
	return digest;
}

static uint64_t of_threads(uint64_t digest, const ompdx_view_t *view)
{
	for (uint32_t i = 0; i < view->thread_count; i++) {
		const ompdx_view_thread_t *one = AT(view->threads, i, view->threads->size);

		digest = mixed(digest, one->native);
		digest = mixed(digest, one->kind);
		digest = mixed(digest, one->problem);
		digest = mixed(digest, (uint64_t)one->runtime_id);
		digest = mixed(digest, one->address ^ one->pthread_id ^ one->task);
		digest = mixed(digest, one->task_kind);
		digest = mixed(digest, (uint64_t)one->ident_flags);
		digest = of_text(digest, one->ident_source);
		for (uint32_t k = 0; k < one->level_count; k++) {
			const ompdx_view_level_t *level =
				AT(view->levels, one->level_first + k, view->level_size);

			digest = mixed(digest, level->region);
			digest = mixed(digest, (uint64_t)level->thread_num);
		}
	}
	return digest;
}

uint64_t NAME(view)(const void *block)
{
	const ompdx_view_t *view = block;
	uint64_t digest = of_threads(view->problem, view);

	for (uint32_t i = 0; i < view->region_count; i++) {
		const ompdx_view_region_t *one = AT(view->regions, i, view->regions->size);

		digest = mixed(digest, one->address ^ one->function);
		digest = mixed(digest, one->parent);
		digest = mixed(digest, one->generator);
		digest = mixed(digest, (uint64_t)one->level);
		digest = mixed(digest, (uint64_t)one->team_size);
		digest = mixed(digest, one->problem);
		digest = mixed(digest, one->member_first);
		digest = mixed(digest, one->member_count);
		digest = of_text(digest, one->source);
	}
	return of_numbers(digest, view->members, view->member_count, view->member_size);
}

uint64_t NAME(tasks)(const void *block)
{
	const ompdx_tasks_t *tasks = block;
	uint64_t digest = tasks->problem;

	for (uint32_t i = 0; i < tasks->task_count; i++) {
		const ompdx_task_t *one = AT(tasks->tasks, i, tasks->tasks->size);

		digest = mixed(digest, one->address ^ one->team ^ one->function);
		digest = mixed(digest, one->kind);
		digest = mixed(digest, one->state);
		digest = mixed(digest, one->thread);
		digest = mixed(digest, one->creator);
		digest = mixed(digest, one->parent);
		digest = of_text(digest, one->source);
	}
	for (uint32_t i = 0; i < tasks->dependence_count; i++) {
		const ompdx_dependence_t *one = AT(tasks->dependences, i, tasks->dependence_size);

		digest = mixed(digest, one->task);
		digest = mixed(digest, one->predecessor);
	}
	return digest;
}

uint64_t NAME(locks)(const void *block)
{
	const ompdx_locks_t *locks = block;
	uint64_t digest = locks->problem;

	for (uint32_t i = 0; i < locks->lock_count; i++) {
		const ompdx_lock_t *one = AT(locks->locks, i, locks->locks->size);

		digest = mixed(digest, one->address);
		digest = mixed(digest, one->kind);
		digest = mixed(digest, one->owner);
		digest = mixed(digest, (uint64_t)one->owner_id);
		digest = mixed(digest, one->waiter_first);
		digest = mixed(digest, one->waiter_count);
		digest = mixed(digest, one->word);
	}
	digest = of_numbers(digest, locks->waiters, locks->waiter_count, locks->waiter_size);
	return of_numbers(digest, locks->variables, locks->variable_count, locks->variable_size);
}

uint64_t NAME(arrivals)(const void *block)
{
	const ompdx_arrivals_t *arrivals = block;
	uint64_t digest = arrivals->problem;

	for (uint32_t i = 0; i < arrivals->count; i++) {
		const ompdx_arrival_t *one = AT(arrivals->arrivals, i, arrivals->arrivals->size);

		digest = mixed(digest, one->thread);
		digest = mixed(digest, one->arrived);
		digest = mixed(digest, one->released);
		for (unsigned k = 0; k < 3; k++)
			digest = mixed(digest, one->steps[k] ^ one->team_steps[k] << 32);
	}
	return digest;
}

uint64_t NAME(loops)(const void *block)
{
	const ompdx_loops_t *loops = block;
	uint64_t digest = loops->problem;

	for (uint32_t i = 0; i < loops->count; i++) {
		const ompdx_loop_t *one = AT(loops->loops, i, loops->loops->size);

		digest = mixed(digest, one->team);
		digest = mixed(digest, one->thread);
		digest = mixed(digest, one->schedule);
		digest = mixed(digest, (uint64_t)one->iterations);
		digest = mixed(digest, (uint64_t)one->ordered_turn);
	}
	return digest;
}
