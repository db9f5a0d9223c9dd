/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/lock_table.h"

#include <string.h>

#include "runtime/llvm/allocator.h"
#include "runtime/llvm/variable_search.h"
#include "target/callbacks.h"
#include "target/limits.h"

#define NAME "__kmp_i_lock_table"

/* Entries of a row. The first table has one row (until 13) or 8, and each further one twice as many
 * (kmp_lock.h). */
#define ROW_ENTRIES 1024

static uint64_t row_bytes(const struct target *target)
{
	return (uint64_t)ROW_ENTRIES * lock_entry_size(target);
}

/* The table begins with a pointer to an array of rows, and the first row is there from the start: two blocks
 * of libomp's allocator of just the right sizes. */
static ompd_rc_t prove(struct address_space *space, const struct llvm *llvm, target_addr variable,
		       bool *proven)
{
	const struct target *target = &space->target;
	struct lock_table table;
	uint64_t size;
	target_addr row;
	ompd_rc_t rc = lock_table_read(target, &llvm->lock_structures, variable, &table);

	*proven = false;
	if (rc == ompd_rc_ok)
		rc = allocator_block_size(target, table.table, &size);
	if (rc != ompd_rc_ok)
		return rc == ompd_rc_error ? ompd_rc_ok : rc;
	if (size == 0 || size % target->sizes.sizeof_pointer ||
	    table.next > size / target->sizes.sizeof_pointer * ROW_ENTRIES)
		return ompd_rc_ok;
	rc = target_read_pointer(target, table.table, &row);
	if (rc == ompd_rc_ok)
		rc = allocator_block_size(target, row, &size);
	if (rc == ompd_rc_ok)
		*proven = size == row_bytes(target);
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

ompd_rc_t lock_table_locate(struct address_space *space, struct llvm *llvm, target_addr *ret)
{
	bool proven = false;
	bool by_symbol = false;
	ompd_rc_t rc = ompd_rc_unavailable;

	if (llvm->lock_table == 0 && llvm->source == ompdx_descriptors_symbols)
		rc = image_symbol(&space->image, NAME, &llvm->lock_table);
	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		return rc;
	if (llvm->lock_table) {
		rc = prove(space, llvm, llvm->lock_table, &proven);
		if (rc == ompd_rc_ok && proven)
			*ret = llvm->lock_table;
		if (rc != ompd_rc_ok || proven)
			return rc;
		by_symbol = llvm->source == ompdx_descriptors_symbols;
	}
	/* As for the array of threads. */
	rc = by_symbol ? ompd_rc_unavailable
		       : variable_search(space, llvm, prove, &llvm->lock_table);
	if (rc == ompd_rc_ok) {
		*ret = llvm->lock_table;
	} else if (rc == ompd_rc_unavailable) {
		llvm->lock_table = 0;
		diagnostics_note(&space->diagnostics, DIAGNOSTIC_locks_not_found, NAME);
	}
	return rc;
}

/* The first `count' entries of a row. */
static ompd_rc_t read_row(struct address_space *space, const struct llvm *llvm, target_addr row,
			  uint32_t count, uint8_t *bytes, struct lock_entries *ret)
{
	const uint32_t size = lock_entry_size(&space->target);
	const size_t first = ret->entries.count;
	void *added;
	ompd_rc_t rc = vector_add(&ret->entries, count, LOCKS_MAX, &added);

	if (rc == ompd_rc_ok)
		rc = target_read(&space->target, row, (size_t)count * size, bytes);
	for (uint32_t i = 0; rc == ompd_rc_ok && i < count; i++) {
		lock_entry_decode(&space->target, &llvm->lock_structures, bytes + (size_t)i * size,
				  (struct lock_entry *)added + i);
		rc = address_map_put(&ret->index_of_entry, row + (uint64_t)i * size,
				     (uint32_t)(first + i));
	}
	return rc;
}

static ompd_rc_t read_table(struct address_space *space, const struct llvm *llvm,
			    const struct lock_table *table, uint8_t *bytes,
			    struct lock_entries *ret)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (uint32_t left = table->next, row = 0; left && rc == ompd_rc_ok; row++) {
		const uint32_t count = left < ROW_ENTRIES ? left : ROW_ENTRIES;
		target_addr address;

		if (ret->entries.count + count > LOCKS_MAX) {
			ret->cut = true;
			break;
		}
		rc = target_read_pointer(&space->target,
					 table->table + (target_addr)row *
								space->target.sizes.sizeof_pointer,
					 &address);
		if (rc == ompd_rc_ok)
			rc = read_row(space, llvm, address, count, bytes, ret);
		left -= count;
	}
	return rc;
}

ompd_rc_t lock_entries_read(struct address_space *space, const struct llvm *llvm,
			    target_addr variable, struct lock_entries *ret)
{
	void *bytes = NULL;
	ompd_rc_t rc;

	memset(ret, 0, sizeof(*ret));
	ret->entries.item_size = sizeof(struct lock_entry);
	rc = callback_alloc(ROW_ENTRIES, lock_entry_size(&space->target), &bytes);
	for (unsigned depth = 0; variable && rc == ompd_rc_ok; depth++) {
		struct lock_table table;

		if (depth == LOCK_TABLES_MAX) {
			ret->cut = true;
			break;
		}
		rc = lock_table_read(&space->target, &llvm->lock_structures, variable, &table);
		if (rc == ompd_rc_ok)
			rc = read_table(space, llvm, &table, bytes, ret);
		variable = table.next_table;
	}
	callback_free(bytes);
	if (rc == ompd_rc_error) {
		ret->cut = true;
		rc = ompd_rc_ok;
	}
	return rc;
}

void lock_entries_deinit(struct lock_entries *entries)
{
	vector_deinit(&entries->entries);
	address_map_deinit(&entries->index_of_entry);
}
