/* SPDX-License-Identifier: Apache-2.0
 *
 * The opening of an address space: which libraries the process has, which of them is a runtime, and its data.
 * The space is in library.spaces afterwards, and ends by address_space_destroy.
 */
#ifndef OPENING_OPEN_H
#define OPENING_OPEN_H

#include "address_space.h"

/* Opens the runtime that image holds. incompatible: none. */
ompd_rc_t open_only(ompd_address_space_context_t *context, const ompdx_image_t *image,
		    struct address_space **ret);

/* Opens the first runtime of the process; see ompd_process_initialize. */
ompd_rc_t open_first(ompd_address_space_context_t *context, struct address_space **ret);

#endif /* OPENING_OPEN_H */
