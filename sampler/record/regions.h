/* SPDX-License-Identifier: Apache-2.0
 *
 * The record's regions, and what is learnt of them: where they are begun, by whom, what the compiler recorded of them.
 */
#ifndef SAMPLER_REGIONS_H
#define SAMPLER_REGIONS_H

#include "record/tables.h"

/* By where its code begins; 0: none. Returns NONE for none, or if the table is full. */
uint32_t table_region(struct tables *tables, uint64_t function);

/* The region whose code the place is in; NONE: it is in none's that is known. */
uint32_t region_around(const struct tables *tables, const struct code *code);

/* Where its code begins; NONE: there are too many places. */
uint32_t code_of_region(struct tables *tables, uint32_t region);

/* By whom it was begun, whether by a teams construct, and what the compiler recorded of it. */
void learn_region(struct tables *tables, uint32_t region, uint32_t forker, bool league,
		  const char *source);

/* The place of a call that begins regions: which one it began. */
void learn_fork(struct tables *tables, uint32_t code, uint32_t region);
uint32_t region_of_fork(struct tables *tables, uint32_t code);

#endif /* SAMPLER_REGIONS_H */
