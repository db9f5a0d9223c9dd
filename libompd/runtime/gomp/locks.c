/* SPDX-License-Identifier: Apache-2.0
 *
 * The locks of a libgomp, all of which lie in the program's own variables: an omp_lock_t and a critical construct's
 * variable are a word that is 0 (free), 1 (held) or -1 (held, and somebody may wait). Who holds it is recorded of
 * nested locks alone: the address of the ICVs of the task that has set it. By that a nested lock is recognised.
 */
#include "runtime/common/blocks.h"
#include "runtime/gomp/answers.h"
#include "runtime/gomp/picture_tasks.h"
#include "target/limits.h"

/* omp_nest_lock_t: the word, how often it was set, the owner. */
enum { NEST_COUNT = 4, NEST_OWNER = 8, NEST_BYTES = 16 };

struct seen_lock {
	target_addr address;
	uint32_t word;
	bool nested;
	int32_t depth;
	uint32_t owner; /* its place; PICTURE_NONE */
};

struct picture_locks {
	struct picture *picture;
	struct picture_tasks tasks;
	struct vector locks; /* struct seen_lock */
	struct vector
		variables; /* uint32_t: an index into locks, for each variable of the tool's */
	struct address_map lock_of_address;
};

/* The thread whose task this is: that executes it, or will go on with it. */
static uint32_t thread_of_task(const struct picture_locks *locks, const struct seen_task *seen)
{
	const struct picture *picture = locks->picture;
	const uint32_t index = address_map_get(&picture->team_of_address, seen->team);
	const uint32_t thread = address_map_get(&picture->thread_of_address, seen->team);
	const uint32_t size = picture->gomp->record->sizes[STRUCTURE_gomp_task];
	const struct seen_team *team;
	uint32_t member;
	uint64_t number;

	if (seen->thread != PICTURE_NONE || seen->data.kind != GOMP_TASK_IMPLICIT)
		return seen->thread;
	/* An initial task is its thread's. */
	if (index == ADDRESS_MAP_NONE)
		return thread == ADDRESS_MAP_NONE ? PICTURE_NONE
						  : picture_thread(picture, thread)->place;
	team = picture_team(picture, index);
	number = (seen->data.address - gomp_implicit_task(picture->gomp->record, seen->team, 0)) /
		 size;
	if (number >= (uint64_t)team->team.nthreads)
		return PICTURE_NONE;
	member = gomp_picture_member(picture, team, (int32_t)number);
	return member == PICTURE_NONE ? PICTURE_NONE : picture_thread(picture, member)->place;
}

/* What stands behind the word may be another variable: it is a nested lock's only if it names a task. */
static ompd_rc_t read_owner(struct picture_locks *locks, struct seen_lock *seen)
{
	const struct target *target = &locks->picture->space->target;
	const uint16_t icv = locks->picture->gomp->record->members[MEMBER_gomp_task__icv].offset;
	uint8_t bytes[NEST_BYTES];
	uint32_t task;
	int32_t depth;
	const ompd_rc_t rc = target_read(target, seen->address, sizeof(bytes), bytes);

	if (rc != ompd_rc_ok)
		return rc == ompd_rc_error ? ompd_rc_ok : rc;
	depth = (int32_t)target_decode_signed(target, bytes + NEST_COUNT, 4);
	task = address_map_get(&locks->tasks.task_of_address,
			       target_decode(target, bytes + NEST_OWNER, 8) - icv);
	if (depth <= 0 || task == ADDRESS_MAP_NONE)
		return ompd_rc_ok;
	seen->nested = true;
	seen->depth = depth;
	seen->owner = thread_of_task(locks, picture_task(&locks->tasks, task));
	return ompd_rc_ok;
}

/* *index: ADDRESS_MAP_NONE: the variable holds no lock. */
static ompd_rc_t add_variable(struct picture_locks *locks, const ompdx_lock_variable_t *variable,
			      uint32_t *index)
{
	struct seen_lock lock = {.address = variable->address, .depth = -1, .owner = PICTURE_NONE};
	uint64_t word;
	void *item;
	ompd_rc_t rc =
		target_read_unsigned(&locks->picture->space->target, variable->address, 4, &word);

	*index = address_map_get(&locks->lock_of_address, variable->address);
	if (rc == ompd_rc_error || *index != ADDRESS_MAP_NONE)
		return ompd_rc_ok;
	if (rc != ompd_rc_ok || (word > 1 && word != UINT32_MAX))
		return rc;
	lock.word = (uint32_t)word;
	if (word && !variable->critical)
		rc = read_owner(locks, &lock);
	if (rc == ompd_rc_ok)
		rc = vector_add(&locks->locks, 1, LOCKS_MAX, &item);
	if (rc != ompd_rc_ok)
		return rc;
	*(struct seen_lock *)item = lock;
	*index = (uint32_t)(locks->locks.count - 1);
	return address_map_put(&locks->lock_of_address, variable->address, *index);
}

static ompd_rc_t add_variables(struct picture_locks *locks, const ompdx_lock_variable_t *variables,
			       ompd_size_t count)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (ompd_size_t i = 0; rc == ompd_rc_ok && i < count; i++) {
		const ompdx_lock_variable_t *variable =
			(const void *)((const char *)variables + i * variables->size);
		void *index;

		rc = vector_add(&locks->variables, 1, LOCKS_MAX, &index);
		if (rc == ompd_rc_ok)
			rc = add_variable(locks, variable, index);
	}
	return rc;
}

static void write_lock(const struct seen_lock *seen, ompdx_lock_t *ret)
{
	ret->address = seen->address;
	ret->kind = ompdx_lock_futex;
	ret->nested = seen->nested;
	ret->held = seen->word != 0;
	ret->owner = seen->owner;
	ret->owner_id = -1;
	ret->depth = seen->depth;
	/* The word does not tell how many, nor of those who have just come. */
	ret->waiting = -1;
	ret->word = seen->word;
	if (seen->nested)
		ret->word |= (uint64_t)(uint32_t)seen->depth << 32;
}

ompd_rc_t gomp_locks(void *from, const ompdx_lock_variable_t *variables, ompd_size_t count,
		     void **ret)
{
	const struct vector waiters = {.item_size = sizeof(uint32_t)};
	struct picture_locks locks = {.picture = from,
				      .locks = {.item_size = sizeof(struct seen_lock)},
				      .variables = {.item_size = sizeof(uint32_t)}};
	struct locks_block block;
	ompd_rc_t rc = gomp_picture_tasks(&locks.tasks, from);

	if (rc == ompd_rc_ok)
		rc = add_variables(&locks, variables, count);
	if (rc == ompd_rc_ok)
		rc = locks_block_create(locks.locks.count, &waiters, &locks.variables, &block);
	if (rc == ompd_rc_ok) {
		for (size_t i = 0; i < locks.locks.count; i++)
			write_lock(vector_at(&locks.locks, i), &block.locks[i]);
		*ret = block.answer;
	}
	gomp_picture_tasks_deinit(&locks.tasks);
	vector_deinit(&locks.locks);
	vector_deinit(&locks.variables);
	address_map_deinit(&locks.lock_of_address);
	return rc;
}
