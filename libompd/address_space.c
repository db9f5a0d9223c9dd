/* SPDX-License-Identifier: Apache-2.0 */
#include "address_space.h"

#include <string.h>

#include "library.h"
#include "runtime/find.h"
#include "target/callbacks.h"

static int free_index(void)
{
	for (int i = 0; i < LIBRARY_SPACES_MAX; i++) {
		if (!library.spaces[i] && handle_generation_valid(library.generations[i]) &&
		    handle_generation_valid(library.handle_generations[i]))
			return i;
	}
	return -1;
}

/* A space that is not published yet: nothing but its target is set up. What was noted on the way to it counts. */
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
	space->diagnostics = library.diagnostics;
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

/* Opens space->runtime, which space->image holds. */
static ompd_rc_t open_recognised(struct address_space *space)
{
	ompd_rc_t rc;

	/* Without headers the image is still good for its names. */
	if (space->image.extent.end == 0 && space->image.dynamic) {
		rc = image_read_headers(&space->image);
		if (rc == ompd_rc_error || rc == ompd_rc_incompatible)
			diagnostics_note(&space->diagnostics, DIAGNOSTIC_image_unreadable,
					 space->image.path);
		else if (rc != ompd_rc_ok)
			return rc;
	}
	return space->runtime->open(space);
}

/* Makes space->image's runtime the space's. */
static ompd_rc_t open_runtime(struct address_space *space)
{
	ompd_rc_t rc = runtime_recognise(&space->image, &space->runtime);

	if (rc == ompd_rc_incompatible && space->image.dynamic)
		rc = runtime_recognise_embedded(&space->image, &space->runtime);
	return rc == ompd_rc_ok ? open_recognised(space) : rc;
}

/* A space with its runtime opened that is not in library.spaces yet. dynamic as in ompdx_image_t. */
static ompd_rc_t open_image(ompd_address_space_context_t *context, target_addr bias,
			    target_addr dynamic, const char *path, struct address_space **ret)
{
	struct address_space *space;
	ompd_rc_t rc = prepare(context, &space);

	if (rc != ompd_rc_ok)
		return rc;
	rc = image_open(&space->image, &space->target, bias, dynamic, path);
	if (rc == ompd_rc_ok)
		rc = open_runtime(space);
	if (rc == ompd_rc_ok)
		*ret = space;
	else
		discard(space);
	return rc;
}

/* The same of a runtime that was found: its image has been read already. */
static ompd_rc_t open_found(ompd_address_space_context_t *context, struct found_runtime *found,
			    struct address_space **ret)
{
	struct address_space *space;
	ompd_rc_t rc = prepare(context, &space);

	if (rc != ompd_rc_ok)
		return rc;
	found_take_image(found, &space->target, &space->image);
	space->runtime = found->runtime;
	space->runtime_version = found->version;
	space->version_asked = found->version_asked;
	rc = open_recognised(space);
	if (rc == ompd_rc_ok)
		*ret = space;
	else
		discard(space);
	return rc;
}

static void close_runtime(struct address_space *space)
{
	space->runtime->close(space);
	image_close(&space->image);
	callback_free(space);
}

static void publish(struct address_space *space)
{
	const int index = free_index();

	diagnostics_keep(&space->diagnostics);
	space->index = (unsigned)index;
	space->generation = library.generations[index];
	space->handles.first_generation = library.handle_generations[index];
	library.spaces[index] = space;
}

ompd_rc_t address_space_create(ompd_address_space_context_t *context, const ompdx_image_t *image,
			       struct address_space **ret)
{
	ompd_rc_t rc;

	diagnostics_clear(&library.diagnostics);
	rc = open_image(context, image->load_bias, image->dynamic, image->path, ret);
	if (rc == ompd_rc_ok)
		publish(*ret);
	return rc;
}

/* How much there is to be learnt of a runtime: one that the program has started comes before one that it has
 * merely loaded, and that before one that nothing can be asked of. */
enum worth { WORTH_NAMING, WORTH_WAITING, WORTH_ASKING };

/* Whether a runtime has been started need not be asked of the only one. */
static ompd_rc_t judge(struct address_space *space, bool only, enum worth *ret)
{
	ompdx_runtime_info_t info = {.size = sizeof(info)};
	ompd_rc_t rc;

	*ret = WORTH_WAITING;
	if (only)
		return ompd_rc_ok;
	rc = space->runtime->info(space, &info);
	if (rc == ompd_rc_ok && info.initialized == 1)
		*ret = WORTH_ASKING;
	else if (rc == ompd_rc_ok && space->runtime->refused && space->runtime->refused(space))
		*ret = WORTH_NAMING;
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

/* Opens the runtime that is worth most, of equals the first. */
static ompd_rc_t open_best(ompd_address_space_context_t *context, const struct runtimes *runtimes,
			   struct address_space **ret)
{
	struct address_space *best = NULL;
	enum worth most = WORTH_NAMING;
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < runtimes->list.count; i++) {
		struct address_space *space;
		enum worth worth;

		rc = open_found(context, runtimes_at(runtimes, i), &space);
		if (rc != ompd_rc_ok)
			break;
		rc = judge(space, runtimes->list.count == 1 && !runtimes->unreadable, &worth);
		if (!best || (rc == ompd_rc_ok && worth > most)) {
			if (best)
				close_runtime(best);
			best = space;
			most = worth;
		} else {
			close_runtime(space);
		}
	}
	/* What could not be read may be the runtime that the program uses. */
	if (rc == ompd_rc_ok && most == WORTH_NAMING && runtimes->unreadable)
		rc = ompd_rc_error;
	if (rc == ompd_rc_ok)
		*ret = best;
	else if (best)
		close_runtime(best);
	return rc;
}

/* No list of loaded objects, or none of them is a runtime: the debugger's symbols are left. */
static ompd_rc_t open_nameless(ompd_address_space_context_t *context, struct address_space **ret)
{
	struct address_space *space;
	ompd_rc_t rc = prepare(context, &space);

	if (rc != ompd_rc_ok)
		return rc;
	image_open_nameless(&space->image, &space->target);
	rc = open_runtime(space);
	if (rc == ompd_rc_incompatible)
		diagnostics_note(&space->diagnostics, DIAGNOSTIC_no_runtime, NULL);
	if (rc == ompd_rc_ok)
		*ret = space;
	else
		discard(space);
	return rc;
}

ompd_rc_t address_space_create_first(ompd_address_space_context_t *context,
				     struct address_space **ret)
{
	struct runtimes runtimes;
	struct target target;
	ompd_rc_t rc;

	diagnostics_clear(&library.diagnostics);
	rc = target_init(&target, context, &library.diagnostics);
	if (rc != ompd_rc_ok)
		return rc;
	rc = runtimes_find(&runtimes, &target);
	if (rc == ompd_rc_ok && runtimes.list.count)
		rc = open_best(context, &runtimes, ret);
	else if (rc == ompd_rc_ok || rc == ompd_rc_unavailable || rc == ompd_rc_error)
		rc = open_nameless(context, ret);
	runtimes_deinit(&runtimes);
	if (rc == ompd_rc_ok)
		publish(*ret);
	return rc;
}

int32_t address_space_version(struct address_space *space)
{
	ompd_rc_t rc;

	if (space->version_asked)
		return space->runtime_version;
	space->runtime_version = -1;
	rc = space->runtime->version(&space->image, &space->runtime_version);
	space->version_asked = rc == ompd_rc_ok || rc == ompd_rc_unavailable;
	return space->runtime_version;
}

void address_space_freeze(struct address_space *space)
{
	memory_cache_init(&space->frozen);
	space->target.cache = &space->frozen;
}

void address_space_thaw(struct address_space *space)
{
	space->target.cache = NULL;
	memory_cache_deinit(&space->frozen);
}

void address_space_destroy(struct address_space *space)
{
	address_space_thaw(space);
	library.handle_generations[space->index] = handle_table_deinit(&space->handles);
	library.spaces[space->index] = NULL;
	library.generations[space->index]++;
	close_runtime(space);
}
