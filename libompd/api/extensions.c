/* SPDX-License-Identifier: Apache-2.0
 *
 * ompd-ext.h: what OMPD has no routine for.
 */
#include "ompd-ext.h"

#include <string.h>

#include "address_space.h"
#include "library.h"
#include "runtime/runtime.h"
#include "target/callbacks.h"
#include "target/limits.h"
#include "target/link_map.h"
#include "target/vector.h"

/* The size that the first version of a struct had: less cannot be one. */
#define FIRST_IMAGE_SIZE (sizeof(ompdx_image_t))
#define FIRST_NATIVE_SIZE (sizeof(ompdx_native_thread_t))

/* A runtime that was found, before the block for the tool is made. */
struct found {
	ompdx_runtime_t runtime;
	char path[IMAGE_PATH_MAX];
};

ompd_rc_t ompdx_get_version(ompd_word_t *version)
{
	if (!version)
		return ompd_rc_bad_input;
	*version = OMPDX_VERSION;
	return ompd_rc_ok;
}

typedef ompd_rc_t recognise_fn(struct image *image, const struct runtime_ops **ret);

/* Adds the image to the list if it holds a runtime. What cannot be read is no runtime. */
static ompd_rc_t examine(const struct target *target, target_addr bias, target_addr dynamic,
			 const char *path, recognise_fn *recognise, struct vector *list)
{
	const struct runtime_ops *runtime;
	struct image image;
	void *item;
	ompd_rc_t rc = image_open(&image, target, bias, dynamic, path);

	if (rc != ompd_rc_ok)
		return rc == ompd_rc_error || rc == ompd_rc_incompatible ? ompd_rc_ok : rc;
	rc = recognise(&image, &runtime);
	if (rc == ompd_rc_ok)
		rc = vector_add(list, 1, LINK_MAP_MAX, &item);
	if (rc == ompd_rc_ok) {
		struct found *found = item;

		found->runtime.size = sizeof(found->runtime);
		found->runtime.kind = runtime->kind;
		found->runtime.version = runtime->version(&image);
		found->runtime.image.size = sizeof(found->runtime.image);
		found->runtime.image.load_bias = bias;
		found->runtime.image.dynamic = image.dynamic;
		memcpy(found->path, image.path, sizeof(found->path));
	}
	image_close(&image);
	return rc == ompd_rc_incompatible ? ompd_rc_ok : rc;
}

static ompd_rc_t examine_link_map(const struct target *target, struct vector *list)
{
	struct loaded_object program = {0};
	struct link_map_walk walk;
	struct loaded_object object;
	bool first = true;
	ompd_rc_t rc = link_map_first(&walk, target);

	if (rc != ompd_rc_ok)
		return rc;
	for (;; first = false) {
		char path[IMAGE_PATH_MAX];

		rc = link_map_next(&walk, &object);
		if (rc != ompd_rc_ok)
			break;
		if (target_read_string(target, object.name, sizeof(path), path) != ompd_rc_ok)
			path[0] = '\0';
		if (first)
			program = object;
		rc = examine(target, object.bias, object.dynamic, path, runtime_recognise, list);
		if (rc != ompd_rc_ok)
			return rc;
	}
	if (list->count == 0 && program.dynamic) {
		const ompd_rc_t embedded = examine(target, program.bias, program.dynamic, "",
						   runtime_recognise_embedded, list);

		if (embedded != ompd_rc_ok)
			return embedded;
	}
	/* What was found up to an unreadable or superfluous entry counts. */
	return rc == ompd_rc_unavailable || rc == ompd_rc_error ? ompd_rc_ok : rc;
}

static ompd_rc_t examine_images(const struct target *target, const ompdx_image_t *images,
				ompd_size_t count, struct vector *list)
{
	static recognise_fn *const ways[] = {runtime_recognise, runtime_recognise_embedded};
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t way = 0; rc == ompd_rc_ok && way < 2 && list->count == 0; way++) {
		for (ompd_size_t i = 0; rc == ompd_rc_ok && i < count; i++) {
			const ompdx_image_t *image =
				(const void *)((const char *)images + i * images->size);

			rc = examine(target, image->load_bias, image->dynamic, image->path,
				     ways[way], list);
		}
	}
	return rc;
}

static ompd_rc_t runtimes_block(const struct vector *list, ompdx_runtimes_t **ret)
{
	size_t size = sizeof(ompdx_runtimes_t) + list->count * sizeof(ompdx_runtime_t);
	ompdx_runtimes_t *answer;
	ompdx_runtime_t *runtimes;
	void *block = NULL;
	char *text;
	ompd_rc_t rc;

	for (size_t i = 0; i < list->count; i++)
		size += strlen(((const struct found *)vector_at(list, i))->path) + 1;
	rc = callback_alloc(1, size, &block);
	if (rc != ompd_rc_ok)
		return rc;
	answer = block;
	runtimes = (void *)(answer + 1);
	text = (char *)(runtimes + list->count);
	answer->size = sizeof(*answer);
	answer->count = list->count;
	answer->runtimes = runtimes;
	for (size_t i = 0; i < list->count; i++) {
		const struct found *found = vector_at(list, i);
		const size_t length = strlen(found->path) + 1;

		runtimes[i] = found->runtime;
		runtimes[i].image.path = found->path[0] ? text : NULL;
		memcpy(text, found->path, length);
		text += length;
	}
	*ret = answer;
	return ompd_rc_ok;
}

ompd_rc_t ompdx_find_runtimes(ompd_address_space_context_t *context, const ompdx_image_t *images,
			      ompd_size_t image_count, ompdx_runtimes_t **runtimes)
{
	struct vector list = {.item_size = sizeof(struct found)};
	struct target target;
	ompd_rc_t rc;

	if (!library.initialized)
		return ompd_rc_error;
	if (!context || !runtimes || (image_count && !images) ||
	    (images && image_count && images->size < FIRST_IMAGE_SIZE))
		return ompd_rc_bad_input;
	diagnostics_clear(&library.diagnostics);
	rc = target_init(&target, context, &library.diagnostics);
	if (rc == ompd_rc_ok)
		rc = images ? examine_images(&target, images, image_count, &list)
			    : examine_link_map(&target, &list);
	if (rc == ompd_rc_ok && list.count == 0)
		diagnostics_note(&library.diagnostics, DIAGNOSTIC_no_runtime, NULL);
	if (rc == ompd_rc_ok)
		rc = runtimes_block(&list, runtimes);
	vector_deinit(&list);
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
	rc = address_space_create(context, image, &space);
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
	full.version = space->runtime_version;
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
	ompdx_diagnostics_t *answer;
	ompdx_diagnostic_t *entries;
	struct address_space *space;
	void *block = NULL;
	char *text;
	ompd_rc_t rc = ompd_rc_ok;

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
	rc = callback_alloc(1,
			    sizeof(*answer) + notes->count * (sizeof(ompdx_diagnostic_t) +
							      DIAGNOSTIC_SUBJECT_MAX),
			    &block);
	if (rc != ompd_rc_ok)
		return rc;
	answer = block;
	entries = (void *)(answer + 1);
	text = (char *)(entries + notes->count);
	answer->size = sizeof(*answer);
	answer->count = notes->count;
	answer->diagnostics = entries;
	for (uint32_t i = 0; i < notes->count; i++) {
		memcpy(text, notes->entries[i].subject, DIAGNOSTIC_SUBJECT_MAX);
		entries[i].size = sizeof(entries[i]);
		entries[i].code = diagnostic_code_name(notes->entries[i].code);
		entries[i].text = diagnostic_text(notes->entries[i].code);
		entries[i].subject = text;
		text += DIAGNOSTIC_SUBJECT_MAX;
	}
	*diagnostics = answer;
	return ompd_rc_ok;
}

ompd_rc_t ompdx_view_create(ompd_address_space_handle_t *handle,
			    const ompdx_native_thread_t *threads, ompd_size_t thread_count,
			    ompdx_view_t **view)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!view || (thread_count && !threads) || thread_count > THREADS_MAX ||
	    (thread_count && threads->size < FIRST_NATIVE_SIZE))
		return ompd_rc_bad_input;
	if (!space->runtime->view)
		return ompd_rc_unsupported;
	return space->runtime->view(space, threads, thread_count, view);
}

ompd_rc_t ompdx_view_destroy(ompdx_view_t *view)
{
	if (!library.initialized)
		return ompd_rc_error;
	if (!view)
		return ompd_rc_bad_input;
	callback_free(view);
	return ompd_rc_ok;
}

ompd_rc_t ompdx_tasks_create(ompd_address_space_handle_t *handle, ompdx_tasks_t **tasks)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!tasks)
		return ompd_rc_bad_input;
	if (!space->runtime->tasks)
		return ompd_rc_unsupported;
	return space->runtime->tasks(space, tasks);
}

ompd_rc_t ompdx_tasks_destroy(ompdx_tasks_t *tasks)
{
	if (!library.initialized)
		return ompd_rc_error;
	if (!tasks)
		return ompd_rc_bad_input;
	callback_free(tasks);
	return ompd_rc_ok;
}

ompd_rc_t ompdx_locks_create(ompd_address_space_handle_t *handle,
			     const ompdx_lock_variable_t *variables, ompd_size_t variable_count,
			     ompdx_locks_t **locks)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!locks || (variable_count && !variables) || variable_count > THREADS_MAX ||
	    (variable_count && variables->size < sizeof(*variables)))
		return ompd_rc_bad_input;
	if (!space->runtime->locks)
		return ompd_rc_unsupported;
	return space->runtime->locks(space, variables, variable_count, locks);
}

ompd_rc_t ompdx_locks_destroy(ompdx_locks_t *locks)
{
	if (!library.initialized)
		return ompd_rc_error;
	if (!locks)
		return ompd_rc_bad_input;
	callback_free(locks);
	return ompd_rc_ok;
}

ompd_rc_t ompdx_arrivals_create(ompd_address_space_handle_t *handle, ompdx_arrivals_t **arrivals)
{
	struct address_space *space;
	const ompd_rc_t rc = handle_find(handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!arrivals)
		return ompd_rc_bad_input;
	if (!space->runtime->arrivals)
		return ompd_rc_unsupported;
	return space->runtime->arrivals(space, arrivals);
}

ompd_rc_t ompdx_arrivals_destroy(ompdx_arrivals_t *arrivals)
{
	if (!library.initialized)
		return ompd_rc_error;
	if (!arrivals)
		return ompd_rc_bad_input;
	callback_free(arrivals);
	return ompd_rc_ok;
}
