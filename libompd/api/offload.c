/* SPDX-License-Identifier: Apache-2.0
 *
 * ompd-ext.h: offloading.
 */
#include "handle.h"
#include "ompd-ext.h"

#include "api/first_sizes.h"
#include "offload/offload.h"

ompd_rc_t ompdx_get_offload(ompd_address_space_handle_t *handle, const ompdx_image_t *images,
			    ompd_size_t image_count, ompdx_offload_t **offload)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!offload || (image_count && !images) ||
	    (images && image_count && images->size < FIRST_IMAGE_SIZE))
		return ompd_rc_bad_input;
	return offload_read(space, images, image_count, offload);
}
