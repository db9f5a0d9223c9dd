/* SPDX-License-Identifier: Apache-2.0
 *
 * What does a function's name tell of a stack that it is on? The tables are entries.def and own.def; nothing here
 * reads the target.
 */
#ifndef INFERENCE_FUNCTION_H
#define INFERENCE_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "ompd-ext.h"

/* Of any text, be it none of a function. */
void function_describe(const char *name, ompdx_function_t *ret);

/* Whether it is a runtime's: called by programs or its own. */
bool function_is_runtimes(const ompdx_function_t *function);

/* What a thread does that waits for this: a value of ompt_state_t. */
uint32_t function_state_of(ompdx_wait_t wait);

/* The names of the listed entry points; NULL behind the last. */
const char *function_entry(size_t index);

#endif /* INFERENCE_FUNCTION_H */
