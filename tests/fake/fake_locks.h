/* SPDX-License-Identifier: Apache-2.0
 *
 * libomp's table of locks, as release 19 keeps it on a 64-bit machine.
 */
#ifndef FAKE_LOCKS_H
#define FAKE_LOCKS_H

#include "fake_libomp.h"

/* Makes the table, with so many queuing locks that nobody holds; the address of the first. */
uint64_t fake_add_locks(struct fake_libomp *omp, unsigned count);

/* The thread holds the lock (KMP_CONSISTENCY_CHECK=all), and these wait for it, in this order. */
void fake_hold_lock(struct fake_libomp *omp, uint64_t lock, const struct fake_thread *owner,
		    const struct fake_thread *const waiters[], unsigned waiter_count);

/* From one lock to the next. */
#define FAKE_LOCK_SIZE 128

#endif /* FAKE_LOCKS_H */
