/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP 6.0, 41.11: internal control variables. An ICV's id is its row in icv.def, from 1.
 */
#include "api/icv.h"
#include "handle.h"

#include "api/answer.h"
#include "api/icv_text.h"
#include "api/scope.h"
#include "library.h"
#include "offload/offload.h"
#include "runtime/runtime.h"
#include "target/limits.h"

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

ompd_icv_id_t icv_next(ompd_icv_id_t id)
{
	while (id < ROW_COUNT && !visible(&rows[id]))
		id++;
	return id < ROW_COUNT ? id + 1 : ompd_icv_undefined;
}

const struct icv_row *icv_row(ompd_icv_id_t id)
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
	ompd_rc_t rc = handle_find(handle, HANDLE_SPACE, &space, NULL);

	if (rc != ompd_rc_ok)
		return rc;
	if (!next_id || !next_icv_name || !next_scope || !more)
		return ompd_rc_bad_input;
	if (!space->runtime->icv)
		return ompd_rc_unsupported;
	if (current != ompd_icv_undefined && !icv_row(current))
		return ompd_rc_bad_input;
	next = icv_next(current);
	if (next == ompd_icv_undefined)
		return ompd_rc_bad_input;
	rc = answer_string(rows[next - 1].name, next_icv_name);
	if (rc != ompd_rc_ok)
		return rc;
	*next_id = next;
	*next_scope = rows[next - 1].scope;
	*more = icv_next(next) != ompd_icv_undefined;
	return ompd_rc_ok;
}

/* A scope that does not fit the ICV: 6.0 has a code for it, 5.x calls it the caller's mistake. */
static ompd_rc_t wrong_scope(void)
{
	return library.api_version >= OMPD_6_0 ? ompd_rc_incompatible : ompd_rc_bad_input;
}

/* Makes the entity that the caller named the one that the ICV belongs to: a thread stands for its current
 * task, and an implicit task is a task. */
static ompd_rc_t fit_scope(struct address_space *space, const struct icv_row *row,
			   ompd_scope_t scope, struct entity *entity)
{
	struct entity task;
	ompd_rc_t rc;

	if (scope == row->scope)
		return ompd_rc_ok;
	if (row->scope == ompd_scope_address_space && scope == ompd_scope_global)
		return ompd_rc_ok;
	if (row->scope != ompd_scope_task ||
	    (scope != ompd_scope_thread && scope != ompd_scope_implicit_task))
		return wrong_scope();
	if (scope == ompd_scope_implicit_task)
		return ompd_rc_ok;
	if (!space->runtime->task_of_thread)
		return ompd_rc_unsupported;
	rc = space->runtime->task_of_thread(space, *entity, &task);
	if (rc == ompd_rc_ok)
		*entity = task;
	return rc;
}

bool icv_is_text(enum icv icv)
{
	return icv == ICV_AFFINITY_FORMAT || icv == ICV_RUN_SCHED || icv == ICV_TOOL_LIBRARIES ||
	       icv == ICV_TOOL_VERBOSE_INIT;
}

/* LLVM's runtime knows nothing of devices, but its offload runtime does; the host's own number is behind the others. */
ompd_rc_t icv_ask(struct address_space *space, enum icv icv, struct entity entity,
		  struct icv_value *value)
{
	const ompd_rc_t rc = space->runtime->icv(space, icv, entity, value);

	if (rc != ompd_rc_unavailable || (icv != ICV_NUM_DEVICES && icv != ICV_DEVICE_NUM) ||
	    space->runtime->kind != ompdx_runtime_llvm)
		return rc;
	return offload_device_count(space, &value->number);
}

/* The value that the caller asks for; icv_value_deinit is due. */
static ompd_rc_t find_value(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id, bool as_text,
			    void *output, struct icv_value *value)
{
	const struct icv_row *row = icv_row(icv_id);
	struct address_space *space;
	struct entity entity = {0};
	ompd_rc_t rc = scope_find(handle, scope, &space, &entity);

	if (rc != ompd_rc_ok)
		return rc;
	if (!row || !output)
		return ompd_rc_bad_input;
	if (!space->runtime->icv)
		return ompd_rc_unsupported;
	rc = fit_scope(space, row, scope, &entity);
	if (rc == ompd_rc_ok && !as_text && icv_is_text(row->icv))
		rc = ompd_rc_incompatible;
	return rc == ompd_rc_ok ? icv_ask(space, row->icv, entity, value) : rc;
}

ompd_rc_t ompd_get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id,
				  ompd_word_t *icv_value)
{
	struct icv_value value;
	ompd_rc_t rc;

	icv_value_init(&value);
	rc = find_value(handle, scope, icv_id, false, icv_value, &value);
	if (rc == ompd_rc_ok) {
		*icv_value = value.number;
		if (value.further_unknown || value.further.count)
			rc = ompd_rc_incomplete;
	}
	icv_value_deinit(&value);
	return rc;
}

ompd_rc_t ompd_get_icv_string_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id,
					 const char **icv_string)
{
	struct vector text = {.item_size = 1};
	struct icv_value value;
	void *end;
	ompd_rc_t rc;

	icv_value_init(&value);
	rc = find_value(handle, scope, icv_id, true, (void *)icv_string, &value);
	if (rc == ompd_rc_ok)
		rc = icv_text(icv_row(icv_id)->icv, &value, &text);
	icv_value_deinit(&value);
	/* Its zero ends the string. The vector's memory becomes the tool's. */
	if (rc == ompd_rc_ok)
		rc = vector_add(&text, 1, ICV_TEXT_MAX + 1, &end);
	if (rc == ompd_rc_ok)
		*icv_string = text.items;
	else
		vector_deinit(&text);
	return rc;
}

static const struct icv_row *row_of_icv(enum icv icv)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		if (rows[i].icv == icv && visible(&rows[i]))
			return &rows[i];
	}
	return NULL;
}

const char *icv_name(enum icv icv)
{
	const struct icv_row *row = row_of_icv(icv);

	return row ? row->name : NULL;
}

ompd_rc_t icv_entity_of_process(struct address_space *space, ompd_scope_t scope, struct entity *ret)
{
	ompd_rc_t (*find)(struct address_space *, struct entity *) = NULL;

	if (scope == ompd_scope_address_space)
		return ompd_rc_ok;
	if (scope == ompd_scope_task)
		find = space->runtime->initial_task;
	else if (scope == ompd_scope_thread)
		find = space->runtime->initial_thread;
	return find ? find(space, ret) : ompd_rc_unavailable;
}

ompd_rc_t icv_of_process(struct address_space *space, enum icv icv, struct vector *text)
{
	const struct icv_row *row = row_of_icv(icv);
	struct entity entity = {0};
	struct icv_value value;
	ompd_rc_t rc;

	if (!row || !space->runtime->icv)
		return ompd_rc_unavailable;
	rc = icv_entity_of_process(space, row->scope, &entity);
	if (rc != ompd_rc_ok)
		return rc;
	icv_value_init(&value);
	rc = icv_ask(space, icv, entity, &value);
	if (rc == ompd_rc_ok)
		rc = icv_text(icv, &value, text);
	icv_value_deinit(&value);
	return rc;
}
