/* SPDX-License-Identifier: Apache-2.0
 *
 * Which devices does libomptarget have?
 */
#ifndef OFFLOAD_DEVICES_H
#define OFFLOAD_DEVICES_H

#include "offload/reading.h"

/* Fills reading->devices, with all but what libraries and mappings tell. incompatible: the manager's list of devices
 * does not prove itself. */
ompd_rc_t devices_read(struct offload_reading *reading, target_addr manager);

#endif /* OFFLOAD_DEVICES_H */
