/* SPDX-License-Identifier: Apache-2.0
 *
 * The block that the tool is shown.
 */
#ifndef OFFLOAD_BLOCK_H
#define OFFLOAD_BLOCK_H

#include "offload/reading.h"
#include "ompd-ext.h"

/* Of a head whose arrays, counts and texts of its own are not set yet. */
ompd_rc_t offload_block_create(const struct offload_reading *reading, const ompdx_offload_t *head,
			       const char *path, ompdx_offload_t **ret);

#endif /* OFFLOAD_BLOCK_H */
