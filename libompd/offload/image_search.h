/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the loaded objects is the offload runtime, and of which release?
 */
#ifndef OFFLOAD_IMAGE_SEARCH_H
#define OFFLOAD_IMAGE_SEARCH_H

#include "ompd-ext.h"
#include "target/image.h"

struct offload_image {
	struct image image; /* with its headers read, as far as they can be */
	int32_t version;    /* major, by what it exports; -1: not known */
};

/* Among those that the tool brings along or, with images NULL, in the dynamic linker's list. any_name: also
 * those that are not called as usual, each of which is asked for a name. unavailable: none. The
 * image has to be closed with image_close, after ok only. */
ompd_rc_t offload_image_find(struct offload_image *ret, const struct target *target,
			     const ompdx_image_t *images, ompd_size_t count, bool any_name);

#endif /* OFFLOAD_IMAGE_SEARCH_H */
