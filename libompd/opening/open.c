/* SPDX-License-Identifier: Apache-2.0 */
#include "opening/open.h"

#include "library.h"
#include "opening/find.h"
#include "opening/recognise.h"
#include "target/callbacks.h"

/* A space that is not published yet: nothing but its target is set up. What was noted on the way to it counts. */
static ompd_rc_t prepare(ompd_address_space_context_t *context, struct address_space **ret)
{
	struct address_space *space;
	void *block = NULL;
	ompd_rc_t rc;

	if (!address_space_has_room())
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

/* What was noted on the way to nothing is for the next attempt. */
static void discard(struct address_space *space)
{
	library.diagnostics = space->diagnostics;
	address_space_discard(space);
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

ompd_rc_t open_only(ompd_address_space_context_t *context, const ompdx_image_t *image,
		    struct address_space **ret)
{
	ompd_rc_t rc;

	diagnostics_clear(&library.diagnostics);
	rc = open_image(context, image->load_bias, image->dynamic, image->path, ret);
	if (rc == ompd_rc_ok)
		address_space_publish(*ret);
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
				address_space_discard(best);
			best = space;
			most = worth;
		} else {
			address_space_discard(space);
		}
	}
	/* What could not be read may be the runtime that the program uses. */
	if (rc == ompd_rc_ok && most == WORTH_NAMING && runtimes->unreadable)
		rc = ompd_rc_error;
	if (rc == ompd_rc_ok)
		*ret = best;
	else if (best)
		address_space_discard(best);
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

ompd_rc_t open_first(ompd_address_space_context_t *context, struct address_space **ret)
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
		address_space_publish(*ret);
	return rc;
}
