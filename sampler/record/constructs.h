/* SPDX-License-Identifier: Apache-2.0
 *
 * The record's constructs: where in the code threads wait.
 */
#ifndef SAMPLER_CONSTRUCTS_H
#define SAMPLER_CONSTRUCTS_H

#include "record/tables.h"

/* NONE: it waits for none, or the table is full. */
uint32_t table_construct(struct tables *tables, const struct stack_told *told, uint32_t region);

#endif /* SAMPLER_CONSTRUCTS_H */
