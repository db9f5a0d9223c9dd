/* SPDX-License-Identifier: Apache-2.0
 *
 * ompd-ext.h: what functions are, by their names, and where a runtime's are.
 */
#include <string.h>

#include "address_space.h"
#include "handle.h"
#include "inference/function.h"
#include "target/callbacks.h"
#include "target/image_symbols.h"
#include "target/vector.h"

ompd_rc_t ompdx_describe_function(const char *name, ompdx_function_t *function)
{
	ompdx_function_t full;

	if (!name || !function || function->size < sizeof(function->size))
		return ompd_rc_bad_input;
	function_describe(name, &full);
	full.size = function->size < sizeof(full) ? function->size : sizeof(full);
	memcpy(function, &full, (size_t)full.size);
	return ompd_rc_ok;
}

/* One that is listed. */
struct found {
	struct exported_function function;
	ompdx_function_class_t function_class;
};

static ompd_rc_t add(struct vector *list, const struct exported_function *function)
{
	ompdx_function_t description;
	struct found *found;
	void *item;
	ompd_rc_t rc;

	function_describe(function->name, &description);
	if (!function_is_runtimes(&description))
		return ompd_rc_ok;
	rc = vector_add(list, 1, IMAGE_SYMBOLS_MAX, &item);
	if (rc != ompd_rc_ok)
		return rc;
	found = item;
	found->function = *function;
	found->function_class = description.function_class;
	return ompd_rc_ok;
}

/* incomplete: there may be more. */
static ompd_rc_t list_exported(struct vector *list, const struct image *image)
{
	struct exported_function function;
	struct symbol_walk walk;
	const ompd_rc_t begun = symbols_first(&walk, image);
	ompd_rc_t rc = begun;

	if (begun != ompd_rc_ok && begun != ompd_rc_incomplete)
		return begun;
	for (;;) {
		rc = symbols_next(&walk, &function);
		if (rc == ompd_rc_ok)
			rc = add(list, &function);
		if (rc != ompd_rc_ok)
			break;
	}
	if (rc == ompd_rc_error)
		return ompd_rc_incomplete;
	return rc == ompd_rc_unavailable ? begun : rc;
}

/* Of a runtime in the program, whose names the program need not export. */
static ompd_rc_t list_known(struct vector *list, struct image *image)
{
	const char *name;

	for (size_t i = 0; (name = function_entry(i)) != NULL; i++) {
		struct exported_function function = {.size = 0};
		ompd_rc_t rc = image_symbol(image, name, &function.address);

		if (rc == ompd_rc_ok) {
			memcpy(function.name, name, strlen(name) + 1);
			rc = add(list, &function);
		}
		if (rc == ompd_rc_stale_handle || rc == ompd_rc_callback_error ||
		    rc == ompd_rc_nomem)
			return rc;
	}
	return ompd_rc_ok;
}

static ompd_rc_t block_of(const struct vector *list, ompdx_entry_points_t **ret)
{
	ompdx_entry_points_t *answer;
	ompdx_entry_point_t *points;
	void *block = NULL;
	size_t size = sizeof(*answer) + list->count * sizeof(*points);
	char *text;
	ompd_rc_t rc;

	for (size_t i = 0; i < list->count; i++) {
		const struct found *found = vector_at(list, i);

		size += strlen(found->function.name) + 1;
	}
	rc = callback_alloc(1, size, &block);
	if (rc != ompd_rc_ok)
		return rc;
	answer = block;
	points = (void *)(answer + 1);
	text = (char *)(points + list->count);
	answer->size = sizeof(*answer);
	answer->count = list->count;
	answer->entry_points = points;
	for (size_t i = 0; i < list->count; i++) {
		const struct found *found = vector_at(list, i);
		const size_t length = strlen(found->function.name) + 1;

		points[i].size = sizeof(points[i]);
		points[i].address = found->function.address;
		points[i].code_size = found->function.size;
		points[i].name = text;
		points[i].function_class = found->function_class;
		memcpy(text, found->function.name, length);
		text += length;
	}
	*ret = answer;
	return ompd_rc_ok;
}

ompd_rc_t ompdx_entry_points(ompd_address_space_handle_t *handle,
			     ompdx_entry_points_t **entry_points)
{
	struct vector list = {.item_size = sizeof(struct found)};
	struct address_space *space;
	ompd_rc_t made, rc = handle_find(handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!entry_points)
		return ompd_rc_bad_input;
	rc = space->image.embeds ? list_known(&list, &space->image)
				 : list_exported(&list, &space->image);
	if (rc == ompd_rc_error || rc == ompd_rc_incompatible)
		rc = ompd_rc_unavailable;
	if (rc == ompd_rc_ok || rc == ompd_rc_incomplete) {
		made = list.count ? block_of(&list, entry_points) : ompd_rc_unavailable;
		rc = made == ompd_rc_ok ? rc : made;
	}
	vector_deinit(&list);
	return rc;
}
