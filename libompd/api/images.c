/* SPDX-License-Identifier: Apache-2.0
 *
 * ompd-ext.h: images.
 */
#include "ompd-ext.h"

#include <string.h>

#include "api/first_sizes.h"
#include "library.h"
#include "opening/images.h"
#include "target/callbacks.h"

static ompd_rc_t images_block(const struct image_list *list, ompdx_images_t **ret)
{
	const size_t count = list->items.count;
	const size_t text_at = sizeof(ompdx_images_t) + count * sizeof(ompdx_loaded_image_t);
	ompdx_loaded_image_t *images;
	ompdx_images_t *answer;
	void *block = NULL;
	char *text;
	const ompd_rc_t rc = callback_alloc(1, text_at + list->text.count, &block);

	if (rc != ompd_rc_ok)
		return rc;
	answer = block;
	images = (void *)(answer + 1);
	text = (char *)block + text_at;
	answer->size = sizeof(*answer);
	answer->count = count;
	answer->images = images;
	answer->debug = list->debug;
	answer->problem = list->problem;
	if (list->text.count)
		memcpy(text, list->text.items, list->text.count);
	for (size_t i = 0; i < count; i++) {
		const struct listed_image *from = image_list_at(list, i);

		images[i] = from->shown;
		images[i].path = from->path ? text + from->path - 1 : NULL;
	}
	*ret = answer;
	return ompd_rc_ok;
}

ompd_rc_t ompdx_images(ompd_address_space_context_t *context, const ompdx_auxv_t *auxv,
		       ompdx_images_t **images)
{
	struct image_list list;
	struct target target;
	ompd_rc_t rc;

	if (!library.initialized)
		return ompd_rc_error;
	if (!context || !images || (auxv && auxv->size < FIRST_AUXV_SIZE))
		return ompd_rc_bad_input;
	diagnostics_clear(&library.diagnostics);
	rc = target_init(&target, context, &library.diagnostics);
	if (rc != ompd_rc_ok)
		return rc;
	rc = image_list_read(&list, &target, auxv);
	if (rc == ompd_rc_ok)
		rc = images_block(&list, images);
	image_list_deinit(&list);
	return rc;
}
