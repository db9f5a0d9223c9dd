/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_locks.h"

#include "fake_libomp_internal.h"

/* libomp's own numbers. */
enum {
	ROW_ENTRIES = 1024,
	ENTRY_SIZE = 16,
	FIRST_ROWS = 8,
	TAG_QUEUING = 1,
	TAIL = 16,
	HEAD = 20,
	OWNER = 32,
	TABLE_IN_DATA = 0x2800,
	TH_NEXT_WAITING = 1216,
	HELD_WITHOUT_QUEUE = -1
};

uint64_t fake_add_locks(struct fake_libomp *omp, unsigned count)
{
	struct fake_target *target = omp->target;
	const uint64_t table = fake_libomp_image(omp)->data + TABLE_IN_DATA;
	const uint64_t rows = fake_allocate_block(omp, FIRST_ROWS * 8);
	const uint64_t row = fake_allocate_block(omp, ROW_ENTRIES * ENTRY_SIZE);
	const uint64_t locks = fake_allocate_block(omp, count * FAKE_LOCK_SIZE);

	fake_put_pointer(target, table, rows);
	fake_put(target, table + 8, 4, FIRST_ROWS);
	fake_put(target, table + 12, 4, count);
	fake_put_pointer(target, rows, row);
	for (unsigned i = 0; i < count; i++) {
		const uint64_t lock = locks + i * FAKE_LOCK_SIZE;

		fake_put_pointer(target, row + i * ENTRY_SIZE, lock);
		fake_put(target, row + i * ENTRY_SIZE + 8, 4, TAG_QUEUING);
		fake_put_pointer(target, lock, lock);
	}
	return locks;
}

void fake_hold_lock(struct fake_libomp *omp, uint64_t lock, const struct fake_thread *owner,
		    const struct fake_thread *const waiters[], unsigned waiter_count)
{
	struct fake_target *target = omp->target;

	/* Threads are told by gtid + 1. */
	fake_put(target, lock + OWNER, 4, (uint64_t)owner->gtid + 1);
	fake_put(target, lock + HEAD, 4, (uint32_t)HELD_WITHOUT_QUEUE);
	for (unsigned i = 0; i < waiter_count; i++) {
		const uint64_t id = (uint64_t)waiters[i]->gtid + 1;

		if (i == 0)
			fake_put(target, lock + HEAD, 4, id);
		else
			fake_put(target, waiters[i - 1]->address + TH_NEXT_WAITING, 4, id);
		fake_put(target, lock + TAIL, 4, id);
	}
}
