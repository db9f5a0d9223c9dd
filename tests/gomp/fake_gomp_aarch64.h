/* SPDX-License-Identifier: Apache-2.0
 *
 * What of a fake libgomp is AArch64's: its code, and a C library that tells where its threads are.
 */
#ifndef FAKE_GOMP_AARCH64_H
#define FAKE_GOMP_AARCH64_H

#include "fake_gomp.h"

/* A function of libgomp's, by its number in fake_gomp.c. word: where the distance from the thread pointer is. */
void fake_gomp_put_function_aarch64(struct fake_target *target,
				    const struct fake_gomp_layout *layout, uint64_t at,
				    unsigned number, uint64_t word, uint64_t global_icv);

/* A thread's structure ends at the thread pointer, and is in one of two lists. */
#define FAKE_PTHREAD_BYTES UINT64_C(0x740)
#define FAKE_PTHREAD_LIST UINT64_C(0xc0)
void fake_gomp_put_libc_aarch64(struct fake_target *target);
void fake_gomp_list_threads_aarch64(struct fake_target *target, const uint64_t *pthreads,
				    unsigned count);

#endif /* FAKE_GOMP_AARCH64_H */
