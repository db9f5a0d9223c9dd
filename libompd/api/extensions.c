/* SPDX-License-Identifier: Apache-2.0
 *
 * ompd-ext.h: runtimes, and the notes about them.
 */
#include "handle.h"
#include "ompd-ext.h"

#include <string.h>

#include "address_space.h"
#include "api/diagnostics_block.h"
#include "api/first_sizes.h"
#include "library.h"
#include "opening/find.h"
#include "opening/open.h"
#include "runtime/runtime.h"
#include "target/callbacks.h"

ompd_rc_t ompdx_get_version(ompd_word_t *version)
{
	if (!version)
		return ompd_rc_bad_input;
	*version = OMPDX_VERSION;
	return ompd_rc_ok;
}

static ompd_rc_t runtimes_block(const struct runtimes *found, ompdx_runtimes_t **ret)
{
	const size_t count = found->list.count;
	size_t size = sizeof(ompdx_runtimes_t) + count * sizeof(ompdx_runtime_t);
	ompdx_runtimes_t *answer;
	ompdx_runtime_t *runtimes;
	void *block = NULL;
	char *text;
	ompd_rc_t rc;

	for (size_t i = 0; i < count; i++)
		size += strlen(runtimes_at(found, i)->image.path) + 1;
	rc = callback_alloc(1, size, &block);
	if (rc != ompd_rc_ok)
		return rc;
	answer = block;
	runtimes = (void *)(answer + 1);
	text = (char *)(runtimes + count);
	answer->size = sizeof(*answer);
	answer->count = count;
	answer->runtimes = runtimes;
	for (size_t i = 0; i < count; i++) {
		const struct found_runtime *item = runtimes_at(found, i);
		const size_t length = strlen(item->image.path) + 1;

		runtimes[i].size = sizeof(runtimes[i]);
		runtimes[i].kind = item->runtime->kind;
		runtimes[i].version = item->version;
		runtimes[i].image.size = sizeof(runtimes[i].image);
		runtimes[i].image.load_bias =
			item->image.dynamic ? item->image.bias : item->image.header;
		runtimes[i].image.dynamic = item->image.dynamic;
		runtimes[i].image.path = item->image.path[0] ? text : NULL;
		memcpy(text, item->image.path, length);
		text += length;
	}
	*ret = answer;
	return ompd_rc_ok;
}

ompd_rc_t ompdx_find_runtimes(ompd_address_space_context_t *context, const ompdx_image_t *images,
			      ompd_size_t image_count, ompdx_runtimes_t **runtimes)
{
	struct runtimes found;
	struct target target;
	ompd_rc_t rc;

	if (!library.initialized)
		return ompd_rc_error;
	if (!context || !runtimes || (image_count && !images) ||
	    (images && image_count && images->size < FIRST_IMAGE_SIZE))
		return ompd_rc_bad_input;
	diagnostics_clear(&library.diagnostics);
	rc = target_init(&target, context, &library.diagnostics);
	if (rc != ompd_rc_ok)
		return rc;
	rc = images ? runtimes_find_among(&found, &target, images, image_count)
		    : runtimes_find(&found, &target);
	if (rc == ompd_rc_ok && found.list.count == 0)
		diagnostics_note(&library.diagnostics, DIAGNOSTIC_no_runtime, NULL);
	if (rc == ompd_rc_ok)
		rc = runtimes_block(&found, runtimes);
	runtimes_deinit(&found);
	return rc;
}

ompd_rc_t ompdx_process_initialize(ompd_address_space_context_t *context,
				   const ompdx_image_t *image, ompd_address_space_handle_t **handle)
{
	struct address_space *space;
	ompd_rc_t rc;

	if (!library.initialized)
		return ompd_rc_error;
	if (!context || !image || image->size < FIRST_IMAGE_SIZE || !handle)
		return ompd_rc_bad_input;
	rc = open_only(context, image, &space);
	if (rc == ompd_rc_ok)
		*handle = handle_of_space(space);
	return rc;
}

ompd_rc_t ompdx_get_runtime_info(ompd_address_space_handle_t *handle, ompdx_runtime_info_t *info)
{
	ompdx_runtime_info_t full = {.size = sizeof(full)};
	struct address_space *space;
	ompd_rc_t rc = handle_find(handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!info || info->size < sizeof(info->size))
		return ompd_rc_bad_input;
	full.kind = space->runtime->kind;
	full.version = address_space_version(space);
	full.start = space->image.extent.start;
	full.end = space->image.extent.end;
	full.build_id_length = space->image.build_id_length;
	memcpy(full.build_id, space->image.build_id, space->image.build_id_length);
	rc = space->runtime->info(space, &full);
	if (rc != ompd_rc_ok)
		return rc;
	full.size = info->size < sizeof(full) ? info->size : sizeof(full);
	memcpy(info, &full, (size_t)full.size);
	return ompd_rc_ok;
}

ompd_rc_t ompdx_get_diagnostics(ompd_address_space_handle_t *handle,
				ompdx_diagnostics_t **diagnostics)
{
	const struct diagnostics *notes = &library.diagnostics;
	struct address_space *space;
	void *block;
	ompd_rc_t rc;

	if (handle) {
		rc = handle_find(handle, HANDLE_SPACE, &space, NULL);
		if (rc != ompd_rc_ok)
			return rc;
		notes = &space->diagnostics;
	} else if (!library.initialized) {
		return ompd_rc_error;
	}
	if (!diagnostics)
		return ompd_rc_bad_input;
	rc = diagnostics_block(notes, &block);
	if (rc == ompd_rc_ok)
		*diagnostics = block;
	return rc;
}
