/* SPDX-License-Identifier: Apache-2.0
 *
 * What did programs and libraries register for offloading, and for which devices is there code?
 */
#ifndef OFFLOAD_LIBRARIES_H
#define OFFLOAD_LIBRARIES_H

#include "offload/reading.h"

/* Fills reading->entries, and of the devices what their images tell. */
ompd_rc_t libraries_read(struct offload_reading *reading);

#endif /* OFFLOAD_LIBRARIES_H */
