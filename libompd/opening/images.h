/* SPDX-License-Identifier: Apache-2.0
 *
 * Which images does a process have?
 */
#ifndef OPENING_IMAGES_H
#define OPENING_IMAGES_H

#include "ompd-ext.h"
#include "target/target.h"
#include "target/vector.h"

struct listed_image {
	ompdx_loaded_image_t shown; /* path is not set */
	size_t path;                /* where it begins in the text, plus 1; 0: not known */
};

struct image_list {
	struct vector items; /* struct listed_image */
	struct vector text;
	target_addr debug; /* as in ompdx_images_t */
	ompdx_problem_t problem;
};

/* As ompdx_images does. image_list_deinit is due in any case. */
ompd_rc_t image_list_read(struct image_list *ret, const struct target *target,
			  const ompdx_auxv_t *auxv);

const struct listed_image *image_list_at(const struct image_list *list, size_t index);
void image_list_deinit(struct image_list *list);

#endif /* OPENING_IMAGES_H */
