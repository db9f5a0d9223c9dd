/* SPDX-License-Identifier: Apache-2.0
 *
 * What is mapped on the devices?
 */
#ifndef OFFLOAD_MAPPINGS_H
#define OFFLOAD_MAPPINGS_H

#include "offload/reading.h"

/* Fills reading->mappings, and counts those that do not look like one. */
ompd_rc_t mappings_read(struct offload_reading *reading);

#endif /* OFFLOAD_MAPPINGS_H */
