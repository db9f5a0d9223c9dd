/* SPDX-License-Identifier: Apache-2.0 */
#include "offload/image_search.h"

#include <string.h>

#include "offload/reading.h"
#include "target/limits.h"
#include "target/link_map.h"

/* What programs call of LLVM's libomptarget first of all, and the file's name, by which it is known where nothing of
 * its tables can be read, as in a core without the file. */
#define REGISTERS "__tgt_register_lib"
#define FILE_NAME "libomptarget.so"

struct candidate {
	target_addr bias, dynamic;
	char path[IMAGE_PATH_MAX];
};

struct search {
	const struct target *target;
	bool by_name; /* only objects with the usual name */
	uint64_t cost;
};

static bool has_the_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, FILE_NAME, strlen(FILE_NAME)) == 0;
}

static ompd_rc_t find_version(struct image *image, int32_t *ret)
{
	static const struct {
		int32_t version;
		const char *name;
	} releases[] = {
#define OFFLOAD_RELEASE(major, name) {major, name},
#include "offload/releases.def"
	};
	target_addr address;

	*ret = -1;
	for (size_t i = 0; i < COUNT(releases); i++) {
		const ompd_rc_t rc = image_exported(image, releases[i].name, &address);

		if (rc == ompd_rc_ok)
			*ret = releases[i].version;
		if (rc == ompd_rc_ok || reading_ends(rc))
			return rc;
	}
	return ompd_rc_ok;
}

/* ok: it is the one. */
static ompd_rc_t examine(struct search *search, const struct candidate *candidate,
			 struct offload_image *ret)
{
	struct image *image = &ret->image;
	target_addr address;
	ompd_rc_t rc;

	if (search->by_name != has_the_name(candidate->path))
		return ompd_rc_unavailable;
	rc = image_open(image, search->target, candidate->bias, candidate->dynamic,
			candidate->path);
	if (rc != ompd_rc_ok)
		return reading_ends(rc) ? rc : ompd_rc_unavailable;
	rc = image_exported(image, REGISTERS, &address);
	search->cost += image->names_cost;
	if (rc == ompd_rc_error && search->by_name)
		rc = ompd_rc_ok;
	if (rc == ompd_rc_ok)
		rc = find_version(image, &ret->version);
	if (rc == ompd_rc_ok && image->extent.end == 0)
		rc = image_read_headers(image);
	if (rc == ompd_rc_error || rc == ompd_rc_incompatible)
		rc = image->extent.end ? ompd_rc_ok : ompd_rc_unavailable;
	if (rc != ompd_rc_ok)
		image_close(image);
	return rc;
}

static ompd_rc_t among_given(struct search *search, const ompdx_image_t *images, ompd_size_t count,
			     struct offload_image *ret)
{
	ompd_rc_t rc = ompd_rc_unavailable;

	for (ompd_size_t i = 0; rc == ompd_rc_unavailable && i < count; i++) {
		const ompdx_image_t *image =
			(const void *)((const char *)images + i * images->size);
		struct candidate candidate = {image->load_bias, image->dynamic, ""};

		if (image->path)
			strncpy(candidate.path, image->path, sizeof(candidate.path) - 1);
		rc = examine(search, &candidate, ret);
	}
	return rc;
}

static ompd_rc_t among_loaded(struct search *search, struct offload_image *ret)
{
	struct link_map_walk walk;
	struct loaded_object object;
	ompd_rc_t rc = link_map_first(&walk, search->target);

	while (rc == ompd_rc_ok) {
		struct candidate candidate = {0};

		rc = link_map_next(&walk, &object);
		if (rc != ompd_rc_ok)
			break;
		candidate.bias = object.bias;
		candidate.dynamic = object.dynamic;
		rc = target_read_string(search->target, object.name, sizeof(candidate.path),
					candidate.path);
		if (reading_ends(rc))
			break;
		if (rc != ompd_rc_ok)
			candidate.path[0] = '\0';
		rc = examine(search, &candidate, ret);
		if (rc == ompd_rc_ok)
			return rc;
		if (rc == ompd_rc_unavailable && search->cost <= NAMES_COST_MAX)
			rc = ompd_rc_ok;
	}
	return reading_ends(rc) ? rc : ompd_rc_unavailable;
}

ompd_rc_t offload_image_find(struct offload_image *ret, const struct target *target,
			     const ompdx_image_t *images, ompd_size_t count, bool any_name)
{
	struct search search = {target, true, 0};
	ompd_rc_t rc = ompd_rc_unavailable;

	/* Those with the usual name first: to ask every object for a name costs reads. */
	for (int pass = 0; rc == ompd_rc_unavailable && pass < (any_name ? 2 : 1); pass++) {
		rc = images ? among_given(&search, images, count, ret) : among_loaded(&search, ret);
		search.by_name = false;
	}
	return rc;
}
