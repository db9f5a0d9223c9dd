/* SPDX-License-Identifier: Apache-2.0
 *
 * The locks of a libomp as the one block that the tool gets.
 */
#include <string.h>

#include "runtime/common/blocks.h"
#include "runtime/llvm/answers.h"
#include "runtime/llvm/lock_table.h"
#include "runtime/llvm/picture.h"
#include "target/limits.h"

struct seen_lock {
	struct lock_data data;
	uint32_t first_waiter, waiter_count;
	ompdx_problem_t problem;
};

struct picture_locks {
	const struct picture *picture;
	struct lock_entries entries;
	struct vector locks;   /* struct seen_lock */
	struct vector waiters; /* uint32_t: places of threads, in the order of the queues */
	struct vector
		variables; /* uint32_t: an index into locks, for each variable of the tool's */
	struct address_map lock_of_address;
	ompdx_problem_t problem;
};

static const struct target *memory(const struct picture_locks *locks)
{
	return &locks->picture->space->target;
}

/* Those who wait in a queuing lock's queue, first to last. A thread waits for one lock at a time. */
static ompd_rc_t read_queue(struct picture_locks *locks, struct seen_lock *seen)
{
	const struct span next = locks->picture->llvm->lock_structures.th_next_waiting;
	int32_t id = seen->data.head_id;
	ompd_rc_t rc = ompd_rc_ok;

	seen->first_waiter = (uint32_t)locks->waiters.count;
	while (id > 0 && locks->waiters.count < locks->picture->threads.count) {
		const struct seen_thread *thread = picture_thread_of_gtid(locks->picture, id - 1);
		uint64_t following;
		void *waiter;

		if (!thread)
			break;
		rc = vector_add(&locks->waiters, 1, THREADS_MAX, &waiter);
		if (rc != ompd_rc_ok)
			return rc;
		*(uint32_t *)waiter = thread->place;
		seen->waiter_count++;
		if (id == seen->data.tail_id) {
			seen->data.waiting = (int32_t)seen->waiter_count;
			return ompd_rc_ok;
		}
		rc = member_read(memory(locks), thread->info.address, next, &following);
		if (rc == ompd_rc_error)
			seen->problem = ompdx_problem_unreadable;
		if (rc != ompd_rc_ok)
			return rc == ompd_rc_error ? ompd_rc_ok : rc;
		id = following > INT32_MAX ? 0 : (int32_t)following;
	}
	/* A thread is on its way into the queue, or this is none. */
	seen->problem = ompdx_problem_inconsistent;
	return ompd_rc_ok;
}

static bool matters(const struct lock_data *data)
{
	return data->held != 0 || data->head_id > 0;
}

/* Adds a lock; *index: where, ADDRESS_MAP_NONE: nowhere, it is free and not asked for. */
static ompd_rc_t add(struct picture_locks *locks, const struct lock_data *data, bool asked,
		     uint32_t *index)
{
	struct seen_lock *seen;
	void *place;
	ompd_rc_t rc;

	*index = address_map_get(&locks->lock_of_address, data->address);
	if (*index != ADDRESS_MAP_NONE || (!asked && !matters(data)))
		return ompd_rc_ok;
	rc = vector_add(&locks->locks, 1, LOCKS_MAX, &place);
	if (rc != ompd_rc_ok)
		return rc;
	seen = place;
	seen->data = *data;
	*index = (uint32_t)(locks->locks.count - 1);
	rc = address_map_put(&locks->lock_of_address, data->address, *index);
	return rc == ompd_rc_ok && data->head_id > 0 ? read_queue(locks, seen) : rc;
}

/* An entry's lock; a destroyed one stays in the table, unmarked. */
static ompd_rc_t add_entry(struct picture_locks *locks, const struct lock_entry *entry, bool asked,
			   uint32_t *index)
{
	struct lock_data data;
	ompd_rc_t rc;

	*index = ADDRESS_MAP_NONE;
	if (entry->lock == 0 || entry->kind == ompdx_lock_unknown)
		return ompd_rc_ok;
	rc = lock_data_read(memory(locks), &locks->picture->llvm->lock_structures, entry, &data);
	if (rc == ompd_rc_error)
		locks->problem = ompdx_problem_unreadable;
	if (rc != ompd_rc_ok)
		return rc == ompd_rc_error ? ompd_rc_ok : rc;
	return data.proven ? add(locks, &data, asked, index) : ompd_rc_ok;
}

/* A critical construct's variable holds the address of an entry. */
static ompd_rc_t index_of_critical(const struct picture_locks *locks, target_addr variable,
				   uint32_t *ret)
{
	target_addr entry;
	const ompd_rc_t rc = target_read_pointer(memory(locks), variable, &entry);

	if (rc == ompd_rc_ok)
		*ret = address_map_get(&locks->entries.index_of_entry, entry);
	return rc;
}

/* The lock of one of the program's variables. */
static ompd_rc_t add_variable(struct picture_locks *locks, const ompdx_lock_variable_t *variable,
			      uint32_t *index)
{
	uint64_t word;
	uint32_t entry;
	struct lock_data data;
	ompd_rc_t rc = target_read_unsigned(memory(locks), variable->address, 4, &word);

	*index = ADDRESS_MAP_NONE;
	if (rc == ompd_rc_ok && word & 1)
		return lock_data_direct(variable->address, (uint32_t)word, &data)
			       ? add(locks, &data, true, index)
			       : ompd_rc_ok;
	entry = (uint32_t)(word >> 1);
	if (rc == ompd_rc_ok && variable->critical)
		rc = index_of_critical(locks, variable->address, &entry);
	if (rc != ompd_rc_ok || entry >= locks->entries.entries.count)
		return rc == ompd_rc_error ? ompd_rc_ok : rc;
	return add_entry(locks, vector_at(&locks->entries.entries, entry), true, index);
}

static ompd_rc_t add_variables(struct picture_locks *locks, const ompdx_lock_variable_t *variables,
			       ompd_size_t count)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (ompd_size_t i = 0; i < count && rc == ompd_rc_ok; i++) {
		const char *at = (const char *)variables + i * variables->size;
		ompdx_lock_variable_t variable;
		void *index;

		memcpy(&variable, at, sizeof(variable));
		rc = vector_add(&locks->variables, 1, LOCKS_MAX, &index);
		if (rc == ompd_rc_ok)
			rc = add_variable(locks, &variable, index);
	}
	return rc;
}

static ompd_rc_t read_locks(struct picture_locks *locks, target_addr table,
			    const ompdx_lock_variable_t *variables, ompd_size_t count)
{
	ompd_rc_t rc = lock_entries_read(locks->picture->space, locks->picture->llvm, table,
					 &locks->entries);

	if (rc == ompd_rc_ok)
		rc = add_variables(locks, variables, count);
	for (size_t i = 0; i < locks->entries.entries.count && rc == ompd_rc_ok; i++) {
		uint32_t index;

		if (i == LOCKS_READ_MAX) {
			locks->entries.cut = true;
			break;
		}
		rc = add_entry(locks, vector_at(&locks->entries.entries, i), false, &index);
	}
	if (locks->entries.cut && !locks->problem)
		locks->problem = ompdx_problem_limit;
	if (locks->problem)
		diagnostics_note(&locks->picture->space->diagnostics, DIAGNOSTIC_locks_cut, NULL);
	return rc;
}

static void write_lock(const struct picture *picture, const struct seen_lock *seen,
		       ompdx_lock_t *ret)
{
	ret->address = seen->data.address;
	ret->kind = seen->data.kind;
	ret->nested = seen->data.nested;
	ret->held = seen->data.held;
	ret->owner = picture_place_of_gtid(picture, seen->data.owner);
	ret->owner_id = seen->data.owner;
	ret->depth = seen->data.depth;
	ret->waiting = seen->data.waiting;
	ret->waiter_first = seen->first_waiter;
	ret->waiter_count = seen->waiter_count;
	ret->problem = seen->problem;
	ret->word = seen->data.word;
}

static ompd_rc_t write_locks(const struct picture_locks *locks, void **ret)
{
	struct locks_block block;
	const ompd_rc_t rc =
		locks_block_create(locks->locks.count, &locks->waiters, &locks->variables, &block);

	if (rc != ompd_rc_ok)
		return rc;
	block.answer->problem = locks->problem;
	for (size_t i = 0; i < locks->locks.count; i++)
		write_lock(locks->picture, vector_at(&locks->locks, i), &block.locks[i]);
	*ret = block.answer;
	return ompd_rc_ok;
}

ompd_rc_t llvm_locks(void *from, const ompdx_lock_variable_t *variables, ompd_size_t count,
		     void **ret)
{
	const struct picture *picture = from;
	struct picture_locks locks = {.picture = picture,
				      .locks = {.item_size = sizeof(struct seen_lock)},
				      .waiters = {.item_size = sizeof(uint32_t)},
				      .variables = {.item_size = sizeof(uint32_t)}};
	target_addr table = 0;
	ompd_rc_t rc = ompd_rc_unavailable;

	if (picture->llvm->knows_locks)
		rc = lock_table_locate(picture->space, picture->llvm, &table);
	if (rc != ompd_rc_ok)
		return rc;
	rc = read_locks(&locks, table, variables, count);
	if (rc == ompd_rc_ok)
		rc = write_locks(&locks, ret);
	lock_entries_deinit(&locks.entries);
	vector_deinit(&locks.locks);
	vector_deinit(&locks.waiters);
	vector_deinit(&locks.variables);
	address_map_deinit(&locks.lock_of_address);
	return rc;
}
