/* SPDX-License-Identifier: Apache-2.0 */
#include "opening/images.h"

#include <string.h>

#include "target/address_map.h"
#include "target/image.h"
#include "target/limits.h"
#include "target/link_map.h"

/* What the kernel told the program where to find. */
struct told {
	struct image image;
	uint32_t flags;
	bool known, listed;
};

struct reading {
	const struct target *target;
	struct image_list *list;
	struct address_map dynamics; /* of those in the list */
	unsigned pages;              /* that may still be searched for headers */
	struct told program, vdso;
};

/* Whether it only says that something is not there, or not readable. */
static bool is_lack(ompd_rc_t rc)
{
	return rc == ompd_rc_error || rc == ompd_rc_unavailable || rc == ompd_rc_incompatible;
}

static ompd_rc_t begin(struct reading *reading, const ompdx_auxv_t *auxv)
{
	struct told *program = &reading->program, *vdso = &reading->vdso;
	ompd_rc_t rc = ompd_rc_ok;

	if (auxv && auxv->headers) {
		rc = image_open_program(&program->image, reading->target, auxv->headers,
					auxv->header_count);
		program->known = rc == ompd_rc_ok;
		program->flags = OMPDX_IMAGE_PROGRAM;
		if (!program->image.interpreted)
			program->flags |= OMPDX_IMAGE_STATIC;
	}
	if (auxv && auxv->vdso && (rc == ompd_rc_ok || is_lack(rc))) {
		rc = image_open(&vdso->image, reading->target, auxv->vdso, 0, "");
		vdso->known = rc == ompd_rc_ok;
		vdso->flags = OMPDX_IMAGE_VDSO;
	}
	return is_lack(rc) ? ompd_rc_ok : rc;
}

/* Where the dynamic linker's struct r_debug is. */
static ompd_rc_t find_debug(const struct reading *reading, target_addr *ret)
{
	ompd_rc_t rc = ompd_rc_ok;

	*ret = reading->program.known ? reading->program.image.debug : 0;
	if (*ret == 0)
		rc = target_symbol(reading->target, "_r_debug", NULL, ret);
	return is_lack(rc) ? ompd_rc_ok : rc;
}

static ompd_rc_t keep_path(struct image_list *list, const char *path, size_t *ret)
{
	const size_t size = strlen(path) + 1;
	void *text;
	ompd_rc_t rc;

	if (size == 1)
		return ompd_rc_ok;
	if (size > IMAGES_TEXT_MAX - list->text.count) {
		list->problem = ompdx_problem_limit;
		return ompd_rc_ok;
	}
	rc = vector_add(&list->text, size, IMAGES_TEXT_MAX, &text);
	if (rc != ompd_rc_ok)
		return rc;
	memcpy(text, path, size);
	*ret = list->text.count - size + 1;
	return ompd_rc_ok;
}

static ompd_rc_t add(struct reading *reading, const struct image *image, uint32_t flags,
		     uint32_t link_namespace, const char *path)
{
	struct listed_image *item;
	void *room;
	ompd_rc_t rc = vector_add(&reading->list->items, 1, LINK_MAP_MAX + 2, &room);

	if (rc != ompd_rc_ok)
		return rc;
	item = room;
	item->shown.size = sizeof(item->shown);
	item->shown.load_bias = image->bias;
	item->shown.dynamic = image->dynamic;
	item->shown.start = image->extent.start;
	item->shown.end = image->extent.end;
	item->shown.flags = flags | (image_has_names(image) ? 0 : OMPDX_IMAGE_NAMELESS);
	item->shown.link_namespace = link_namespace;
	item->shown.build_id_length = image->build_id_length;
	memcpy(item->shown.build_id, image->build_id, image->build_id_length);
	return keep_path(reading->list, path, &item->path);
}

static ompd_rc_t add_told(struct reading *reading, struct told *told, uint32_t link_namespace,
			  const char *path)
{
	told->listed = true;
	return add(reading, &told->image, told->flags, link_namespace, path);
}

/* One that the list has, and the kernel did not tell of. */
static ompd_rc_t add_object(struct reading *reading, const struct loaded_object *object,
			    uint32_t flags, uint32_t link_namespace, const char *path)
{
	struct image image;
	ompd_rc_t rc = image_open(&image, reading->target, object->bias, object->dynamic, "");

	if (object->dynamic && (rc == ompd_rc_ok || is_lack(rc)))
		rc = image_read_headers_within(&image, &reading->pages);
	if (rc != ompd_rc_ok && !is_lack(rc))
		return rc;
	if (rc == ompd_rc_ok && (flags & OMPDX_IMAGE_PROGRAM) && !image.interpreted)
		flags |= OMPDX_IMAGE_STATIC;
	return add(reading, &image, flags, link_namespace, path);
}

static ompd_rc_t take(struct reading *reading, const struct loaded_object *object,
		      uint32_t link_namespace)
{
	const bool first = reading->list->items.count == 0;
	struct told *program = &reading->program, *vdso = &reading->vdso;
	char path[LINK_PATH_MAX];
	ompd_rc_t rc;

	/* One that several namespaces have in common, or that a damaged list has twice. */
	if (address_map_get(&reading->dynamics, object->dynamic) != ADDRESS_MAP_NONE)
		return ompd_rc_ok;
	rc = address_map_put(&reading->dynamics, object->dynamic, 0);
	if (rc != ompd_rc_ok)
		return rc;
	rc = target_read_string(reading->target, object->name, sizeof(path), path);
	if (rc != ompd_rc_ok)
		path[0] = '\0';
	if (rc != ompd_rc_ok && rc != ompd_rc_incomplete && !is_lack(rc))
		return rc;
	if (program->known && program->image.dynamic == object->dynamic)
		return add_told(reading, program, link_namespace, path);
	if (vdso->known && vdso->image.dynamic == object->dynamic)
		return add_told(reading, vdso, link_namespace, path);
	return add_object(reading, object, first && !program->known ? OMPDX_IMAGE_PROGRAM : 0,
			  link_namespace, path);
}

static ompd_rc_t walk(struct reading *reading)
{
	struct loaded_object object;
	struct link_map_walk walk;
	ompd_rc_t rc = link_map_begin(&walk, reading->target, reading->list->debug);

	while (rc == ompd_rc_ok) {
		rc = link_map_next(&walk, &object);
		if (rc == ompd_rc_ok)
			rc = take(reading, &object, walk.namespaces - 1);
	}
	if (rc == ompd_rc_error)
		reading->list->problem = ompdx_problem_unreadable;
	else if (walk.cut)
		reading->list->problem = ompdx_problem_limit;
	return is_lack(rc) ? ompd_rc_ok : rc;
}

ompd_rc_t image_list_read(struct image_list *ret, const struct target *target,
			  const ompdx_auxv_t *auxv)
{
	struct reading reading = {.target = target, .list = ret, .pages = ALL_HEADER_PAGES_MAX};
	struct told *const told[] = {&reading.program, &reading.vdso};
	ompd_rc_t rc;

	memset(ret, 0, sizeof(*ret));
	ret->items.item_size = sizeof(struct listed_image);
	ret->text.item_size = 1;
	rc = begin(&reading, auxv);
	if (rc == ompd_rc_ok)
		rc = find_debug(&reading, &ret->debug);
	if (rc == ompd_rc_ok && ret->debug)
		rc = walk(&reading);
	for (size_t i = 0; i < 2 && rc == ompd_rc_ok; i++) {
		if (told[i]->known && !told[i]->listed)
			rc = add_told(&reading, told[i], UINT32_MAX, "");
	}
	address_map_deinit(&reading.dynamics);
	return rc;
}

const struct listed_image *image_list_at(const struct image_list *list, size_t index)
{
	return vector_at(&list->items, index);
}

void image_list_deinit(struct image_list *list)
{
	vector_deinit(&list->items);
	vector_deinit(&list->text);
}
