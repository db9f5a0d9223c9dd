/* SPDX-License-Identifier: Apache-2.0 */
#include "opening/find.h"

#include <string.h>

#include "opening/recognise.h"
#include "target/limits.h"
#include "target/link_map.h"

typedef ompd_rc_t recognise_fn(struct image *image, const struct runtime_ops **ret);

static void move_image(struct image *from, struct image *to)
{
	*to = *from;
	from->hash_words = NULL;
}

/* Takes the image. */
static ompd_rc_t add(struct runtimes *runtimes, const struct runtime_ops *runtime,
		     struct image *image)
{
	struct found_runtime *found;
	void *item;
	ompd_rc_t rc = vector_add(&runtimes->list, 1, LINK_MAP_MAX, &item);

	if (rc != ompd_rc_ok)
		return rc;
	found = item;
	found->runtime = runtime;
	found->version = -1;
	rc = runtime->version(image, &found->version);
	move_image(image, &found->image);
	found->version_asked = rc == ompd_rc_ok || rc == ompd_rc_unavailable;
	return rc == ompd_rc_unavailable || rc == ompd_rc_error ? ompd_rc_ok : rc;
}

/* An object stands twice in a damaged list, or in two namespaces. */
static bool listed(const struct runtimes *runtimes, target_addr dynamic)
{
	for (size_t i = 0; i < runtimes->list.count; i++) {
		if (runtimes_at(runtimes, i)->image.dynamic == dynamic)
			return true;
	}
	return false;
}

/* Adds the image to the list if it holds a runtime. What cannot be read is none, as far as is known. */
static ompd_rc_t examine(struct runtimes *runtimes, const struct target *target, target_addr bias,
			 target_addr dynamic, const char *path, recognise_fn *recognise)
{
	const struct runtime_ops *runtime;
	struct image image;
	ompd_rc_t rc = image_open(&image, target, bias, dynamic, path);

	if (rc == ompd_rc_error)
		runtimes->unreadable = true;
	if (rc != ompd_rc_ok)
		return rc == ompd_rc_error || rc == ompd_rc_incompatible ? ompd_rc_ok : rc;
	rc = recognise(&image, &runtime);
	if (rc == ompd_rc_ok && !listed(runtimes, image.dynamic))
		rc = add(runtimes, runtime, &image);
	runtimes->names_cost += image.names_cost;
	image_close(&image);
	return rc == ompd_rc_incompatible ? ompd_rc_ok : rc;
}

static void begin(struct runtimes *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->list.item_size = sizeof(struct found_runtime);
}

static ompd_rc_t examine_object(struct runtimes *runtimes, const struct target *target,
				const struct loaded_object *object)
{
	char path[IMAGE_PATH_MAX];
	const ompd_rc_t rc = target_read_string(target, object->name, sizeof(path), path);

	if (rc == ompd_rc_stale_handle || rc == ompd_rc_callback_error)
		return rc;
	if (rc != ompd_rc_ok)
		path[0] = '\0';
	return examine(runtimes, target, object->bias, object->dynamic, path, runtime_recognise);
}

ompd_rc_t runtimes_find(struct runtimes *ret, const struct target *target)
{
	struct loaded_object program = {0};
	struct loaded_object object;
	struct link_map_walk walk;
	bool first = true;
	ompd_rc_t rc = link_map_first(&walk, target);

	begin(ret);
	if (rc != ompd_rc_ok)
		return rc;
	for (;; first = false) {
		ompd_rc_t examined;

		rc = link_map_next(&walk, &object);
		if (rc != ompd_rc_ok)
			break;
		if (ret->names_cost > NAMES_COST_MAX) {
			diagnostics_note(target->diagnostics, DIAGNOSTIC_link_map_cut, NULL);
			break;
		}
		if (first)
			program = object;
		examined = examine_object(ret, target, &object);
		if (examined != ompd_rc_ok)
			return examined;
	}
	/* What was found up to an unreadable or superfluous entry counts. */
	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable && rc != ompd_rc_error)
		return rc;
	ret->unreadable = ret->unreadable || rc == ompd_rc_error;
	if (ret->list.count || program.dynamic == 0)
		return ompd_rc_ok;
	return examine(ret, target, program.bias, program.dynamic, "", runtime_recognise_embedded);
}

ompd_rc_t runtimes_find_among(struct runtimes *ret, const struct target *target,
			      const ompdx_image_t *images, ompd_size_t count)
{
	static recognise_fn *const ways[] = {runtime_recognise, runtime_recognise_embedded};
	ompd_rc_t rc = ompd_rc_ok;

	begin(ret);
	for (size_t way = 0; rc == ompd_rc_ok && way < 2 && ret->list.count == 0; way++) {
		for (ompd_size_t i = 0; rc == ompd_rc_ok && i < count; i++) {
			const ompdx_image_t *image =
				(const void *)((const char *)images + i * images->size);

			rc = examine(ret, target, image->load_bias, image->dynamic, image->path,
				     ways[way]);
		}
	}
	return rc;
}

struct found_runtime *runtimes_at(const struct runtimes *runtimes, size_t index)
{
	return vector_at(&runtimes->list, index);
}

void found_take_image(struct found_runtime *found, const struct target *target, struct image *ret)
{
	move_image(&found->image, ret);
	ret->target = target;
}

void runtimes_deinit(struct runtimes *runtimes)
{
	for (size_t i = 0; i < runtimes->list.count; i++)
		image_close(&runtimes_at(runtimes, i)->image);
	vector_deinit(&runtimes->list);
}
