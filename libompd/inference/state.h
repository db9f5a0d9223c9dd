/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a thread do, and what does it wait for? By its stack, by the regions around it and by the construct for
 * which it called the runtime last.
 */
#ifndef INFERENCE_STATE_H
#define INFERENCE_STATE_H

#include "ompd-ext.h"

/* Of any stack and facts that are whole structs of this version; facts may be NULL. */
void state_classify(const ompdx_stack_t *stack, const ompdx_facts_t *facts,
		    ompdx_classification_t *ret);

#endif /* INFERENCE_STATE_H */
