/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP 6.0, 41.9: internal control variables. An ICV's id is its row in icv.def, from 1.
 */
#include <string.h>

#include "address_space.h"
#include "api/scope.h"
#include "library.h"
#include "runtime/runtime.h"
#include "target/callbacks.h"

struct icv_row {
	enum icv icv;
	const char *name;
	ompd_scope_t scope;
	ompd_word_t since;
	ompd_word_t until; /* 0: to this day */
};

static const struct icv_row rows[] = {
#define ICV(icv, name, scope, since, until) {icv, name, scope, since, until},
#include "runtime/icv.def"
#undef ICV
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static bool visible(const struct icv_row *row)
{
	return row->since <= library.api_version &&
	       (row->until == 0 || library.api_version <= row->until);
}

/* The id of the next row that the tool sees; 0 behind the last. */
static ompd_icv_id_t next_visible(ompd_icv_id_t id)
{
	while (id < ROW_COUNT && !visible(&rows[id]))
		id++;
	return id < ROW_COUNT ? id + 1 : 0;
}

static const struct icv_row *row_of(ompd_icv_id_t id)
{
	if (id == ompd_icv_undefined || id > ROW_COUNT || !visible(&rows[id - 1]))
		return NULL;
	return &rows[id - 1];
}

ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *handle, ompd_icv_id_t current,
			      ompd_icv_id_t *next_id, const char **next_icv_name,
			      ompd_scope_t *next_scope, int *more)
{
	struct address_space *space;
	ompd_icv_id_t next;
	void *name = NULL;
	ompd_rc_t rc = handle_find(handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!next_id || !next_icv_name || !next_scope || !more)
		return ompd_rc_bad_input;
	if (!space->runtime->icv)
		return ompd_rc_unsupported;
	if (current != ompd_icv_undefined && !row_of(current))
		return ompd_rc_bad_input;
	next = next_visible(current);
	if (next == 0)
		return ompd_rc_bad_input;
	rc = callback_alloc(1, strlen(rows[next - 1].name) + 1, &name);
	if (rc != ompd_rc_ok)
		return rc;
	memcpy(name, rows[next - 1].name, strlen(rows[next - 1].name) + 1);
	*next_id = next;
	*next_icv_name = name;
	*next_scope = rows[next - 1].scope;
	*more = next_visible(next) != 0;
	return ompd_rc_ok;
}

/* A scope that does not fit the ICV: 6.0 has a code for it, 5.x calls it the caller's mistake. */
static ompd_rc_t wrong_scope(void)
{
	return library.api_version >= OMPD_6_0 ? ompd_rc_incompatible : ompd_rc_bad_input;
}

ompd_rc_t ompd_get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id,
				  ompd_word_t *icv_value)
{
	const struct icv_row *row = row_of(icv_id);
	struct address_space *space;
	struct entity entity = {0};
	const ompd_rc_t rc = scope_find(handle, scope, &space, &entity);

	if (rc != ompd_rc_ok)
		return rc;
	if (!row || !icv_value)
		return ompd_rc_bad_input;
	if (row->scope != scope)
		return wrong_scope();
	if (!space->runtime->icv)
		return ompd_rc_unsupported;
	return space->runtime->icv(space, row->icv, entity, icv_value);
}

ompd_rc_t ompd_get_icv_string_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id,
					 const char **icv_string)
{
	struct address_space *space;
	const ompd_rc_t rc = scope_find(handle, scope, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	return row_of(icv_id) && icv_string ? ompd_rc_unsupported : ompd_rc_bad_input;
}
