/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the word tell that a thread sleeps on?
 */
#ifndef INFERENCE_WORDS_H
#define INFERENCE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "ompd-ext.h"

struct words {
	ompdx_runtime_kind_t kind;
	uint32_t barrier;       /* where in the team's structure the barrier's rounds are */
	uint32_t barrier_round; /* what each adds; the bits below are flags */
	uint32_t task_lock;     /* of the queues of its tasks */
};

/* NULL: of a runtime that leaves the kernel's calls to the C library. */
const struct words *words_of(ompdx_runtime_kind_t kind);

#endif /* INFERENCE_WORDS_H */
