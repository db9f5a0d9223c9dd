/* SPDX-License-Identifier: Apache-2.0
 *
 * Which mappings of a device lie where another does?
 */
#ifndef OFFLOAD_OVERLAPS_H
#define OFFLOAD_OVERLAPS_H

#include "offload/reading.h"

/* Marks those of the mappings from `first' on that fit and share device memory with a neighbour there: of two such it is
 * not known which one is wrong. Those that a program associated itself may. nomem. */
ompd_rc_t overlaps_mark(struct offload_reading *reading, size_t first);

#endif /* OFFLOAD_OVERLAPS_H */
