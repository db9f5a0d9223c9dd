/* SPDX-License-Identifier: Apache-2.0
 *
 * What does the host know of offloading? Asked of the process, whichever runtime a handle is of.
 */
#ifndef OFFLOAD_OFFLOAD_H
#define OFFLOAD_OFFLOAD_H

#include "address_space.h"
#include "ompd-ext.h"

/* See ompdx_get_offload. */
ompd_rc_t offload_read(struct address_space *space, const ompdx_image_t *images, ompd_size_t count,
		       ompdx_offload_t **ret);

/* How many devices the offload runtime has. unavailable: there is none in the dynamic linker's list, or its layout is
 * not proven. */
ompd_rc_t offload_device_count(struct address_space *space, ompd_word_t *ret);

#endif /* OFFLOAD_OFFLOAD_H */
