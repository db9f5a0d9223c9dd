/* SPDX-License-Identifier: Apache-2.0 */
#include "address_space.h"

#include <string.h>

#include "library.h"
#include "runtime/runtime.h"
#include "target/callbacks.h"
#include "target/limits.h"
#include "target/link_map.h"

static int free_index(void)
{
	for (int i = 0; i < LIBRARY_SPACES_MAX; i++) {
		if (!library.spaces[i] && handle_generation_valid(library.generations[i]) &&
		    handle_generation_valid(library.handle_generations[i]))
			return i;
	}
	return -1;
}

/* A space that is not published yet: nothing but its target is set up. */
static ompd_rc_t prepare(ompd_address_space_context_t *context, struct address_space **ret)
{
	struct address_space *space;
	void *block = NULL;
	ompd_rc_t rc;

	if (free_index() < 0)
		return ompd_rc_nomem;
	rc = callback_alloc(1, sizeof(*space), &block);
	if (rc != ompd_rc_ok)
		return rc;
	space = block;
	rc = target_init(&space->target, context, &space->diagnostics);
	if (rc != ompd_rc_ok) {
		callback_free(space);
		return rc;
	}
	*ret = space;
	return ompd_rc_ok;
}

static void discard(struct address_space *space)
{
	library.diagnostics = space->diagnostics;
	image_close(&space->image);
	callback_free(space);
}

/* Makes space->image's runtime the space's, and publishes the space. */
static ompd_rc_t open_runtime(struct address_space *space)
{
	const int index = free_index();
	ompd_rc_t rc = runtime_recognise(&space->image, &space->runtime);

	if (rc == ompd_rc_incompatible && space->image.dynamic)
		rc = runtime_recognise_embedded(&space->image, &space->runtime);

	if (rc != ompd_rc_ok)
		return rc;
	/* Without headers the image is still good for its names. */
	if (space->image.extent.end == 0 && space->image.dynamic &&
	    image_read_headers(&space->image) != ompd_rc_ok)
		diagnostics_note(&space->diagnostics, DIAGNOSTIC_image_unreadable,
				 space->image.path);
	space->runtime_version = space->runtime->version(&space->image);
	rc = space->runtime->open(space);
	if (rc != ompd_rc_ok)
		return rc;
	space->index = (unsigned)index;
	space->generation = library.generations[index];
	space->handles.first_generation = library.handle_generations[index];
	library.spaces[index] = space;
	return ompd_rc_ok;
}

ompd_rc_t address_space_create(ompd_address_space_context_t *context, const ompdx_image_t *image,
			       struct address_space **ret)
{
	struct address_space *space;
	ompd_rc_t rc = prepare(context, &space);

	if (rc != ompd_rc_ok)
		return rc;
	rc = image_open(&space->image, &space->target, image->load_bias, image->dynamic,
			image->path);
	if (rc == ompd_rc_ok)
		rc = open_runtime(space);
	if (rc != ompd_rc_ok) {
		discard(space);
		return rc;
	}
	*ret = space;
	return ompd_rc_ok;
}

/* Goes through the loaded objects until one holds a runtime, which stays in space->image. */
static ompd_rc_t find_first_image(struct address_space *space)
{
	const struct runtime_ops *runtime;
	struct link_map_walk walk;
	struct loaded_object object;
	ompd_rc_t rc = link_map_first(&walk, &space->target);

	while (rc == ompd_rc_ok) {
		char path[IMAGE_PATH_MAX];

		rc = link_map_next(&walk, &object);
		if (rc != ompd_rc_ok)
			break;
		if (target_read_string(&space->target, object.name, sizeof(path), path) !=
		    ompd_rc_ok)
			path[0] = '\0';
		if (image_open(&space->image, &space->target, object.bias, object.dynamic, path) ==
			    ompd_rc_ok &&
		    runtime_recognise(&space->image, &runtime) == ompd_rc_ok)
			return ompd_rc_ok;
		image_close(&space->image);
	}
	if (rc == ompd_rc_stale_handle || rc == ompd_rc_callback_error)
		return rc;
	/* No list, or nothing on it can be read: the debugger's symbols are left. */
	image_open_nameless(&space->image, &space->target);
	return ompd_rc_ok;
}

ompd_rc_t address_space_create_first(ompd_address_space_context_t *context,
				     struct address_space **ret)
{
	struct address_space *space;
	ompd_rc_t rc = prepare(context, &space);

	if (rc != ompd_rc_ok)
		return rc;
	rc = find_first_image(space);
	if (rc == ompd_rc_ok)
		rc = open_runtime(space);
	if (rc == ompd_rc_incompatible)
		diagnostics_note(&space->diagnostics, DIAGNOSTIC_no_runtime, NULL);
	if (rc != ompd_rc_ok) {
		discard(space);
		return rc;
	}
	*ret = space;
	return ompd_rc_ok;
}

void address_space_destroy(struct address_space *space)
{
	space->runtime->close(space);
	library.handle_generations[space->index] = handle_table_deinit(&space->handles);
	image_close(&space->image);
	library.spaces[space->index] = NULL;
	library.generations[space->index]++;
	callback_free(space);
}
