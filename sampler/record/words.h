/* SPDX-License-Identifier: Apache-2.0
 *
 * What things are called in a record.
 */
#ifndef SAMPLER_WORDS_H
#define SAMPLER_WORDS_H

#include <ompd-ext.h>
#include <stdint.h>

#include "target/images.h"

/* States of ours, behind OMPT's. */
#define STATE_PREEMPTED 0x1000
#define STATE_KERNEL 0x1001
#define STATE_ASLEEP 0x1002
#define STATE_OUTSIDE 0x1003
#define STATE_UNKNOWN 0x1004

const char *word_of_state(uint32_t state);
const char *word_of_construct(ompdx_wait_t wait,
			      ompdx_construct_t construct); /* NULL: it is none */
const char *word_of_image(enum image_kind kind);
const char *word_of_thread(ompdx_thread_kind_t kind);
const char *word_of_runtime(ompdx_runtime_kind_t kind);

/* A doubt of ours, behind ompdx_doubt_t's. */
#define DOUBT_OF_LATER 0x1000

/* A sentence; NULL: there is none. */
const char *sentence_of_doubt(uint32_t doubt);

#endif /* SAMPLER_WORDS_H */
