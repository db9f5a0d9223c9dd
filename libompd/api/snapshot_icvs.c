/* SPDX-License-Identifier: Apache-2.0
 *
 * ompd-ext.h: the ICVs of all threads of a snapshot, in one block.
 */
#include "snapshot.h"

#include <stdint.h>
#include <string.h>

#include "api/icv.h"
#include "api/icv_text.h"
#include "target/callbacks.h"
#include "target/limits.h"

/* A value whose text has no address yet. */
struct cell {
	ompd_word_t number;
	size_t text_at;
	size_t text_length;
	uint32_t known; /* OMPDX_ICV_... */
};

struct table {
	struct address_space *space;
	struct vector icvs;  /* of ompdx_icv_t */
	struct vector cells; /* row after row */
	struct vector text;  /* of char: that of the cells, each with its NUL */
	struct vector one;   /* of char: that of the cell which is being filled */
	size_t text_met;     /* how long the texts of all cells are together */
	/* Threads of one region mostly stand side by side: the last one that was met, and the first cell of the row
	 * that has its values. */
	struct entity region;
	size_t region_at;
	bool has_region;
	ompdx_problem_t problem;
};

static ompd_rc_t list_icvs(struct table *table)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (ompd_icv_id_t id = icv_next(ompd_icv_undefined);
	     rc == ompd_rc_ok && id != ompd_icv_undefined; id = icv_next(id)) {
		const struct icv_row *row = icv_row(id);
		void *item;

		rc = vector_add(&table->icvs, 1, SIZE_MAX, &item);
		if (rc == ompd_rc_ok)
			*(ompdx_icv_t *)item = (ompdx_icv_t){.size = sizeof(ompdx_icv_t),
							     .id = id,
							     .name = row->name,
							     .scope = row->scope};
	}
	return rc;
}

/* The text of table->one. Most cells have that of the cell above. */
static ompd_rc_t keep_text(struct table *table, const struct cell *above, struct cell *cell)
{
	const struct vector *one = &table->one;
	const char *text = table->text.items;
	char *room;
	void *item;
	ompd_rc_t rc;

	if (above && (above->known & OMPDX_ICV_TEXT) && above->text_length == one->count &&
	    (one->count == 0 || memcmp(text + above->text_at, one->items, one->count) == 0)) {
		cell->text_at = above->text_at;
	} else {
		cell->text_at = table->text.count;
		rc = vector_add(&table->text, one->count + 1, SIZE_MAX, &item);
		if (rc != ompd_rc_ok)
			return rc;
		room = item;
		if (one->count)
			memcpy(room, one->items, one->count);
		room[one->count] = '\0';
	}
	cell->text_length = one->count;
	cell->known |= OMPDX_ICV_TEXT;
	return ompd_rc_ok;
}

/* Fails only without memory for the table: what cannot be had otherwise is not known. */
static ompd_rc_t fill(struct table *table, enum icv icv, struct entity entity,
		      const struct cell *above, struct cell *cell)
{
	ompd_rc_t rc = ompd_rc_ok;
	struct icv_value value;
	ompd_rc_t told;

	/* Whatever a damaged target makes of lists, there is an end. */
	if (table->text_met > ICV_TABLE_TEXT_MAX) {
		table->problem = ompdx_problem_limit;
		return ompd_rc_ok;
	}
	icv_value_init(&value);
	table->one.count = 0;
	told = icv_ask(table->space, icv, entity, &value);
	if (told == ompd_rc_ok && !icv_is_text(icv)) {
		cell->number = value.number;
		cell->known = OMPDX_ICV_NUMBER;
	}
	if (told == ompd_rc_ok)
		told = icv_text(icv, &value, &table->one);
	table->text_met += table->one.count + 1;
	if (told == ompd_rc_ok)
		rc = keep_text(table, above, cell);
	else if (told == ompd_rc_nomem)
		table->problem = ompdx_problem_limit; /* a list that is longer than any */
	icv_value_deinit(&value);
	return rc;
}

/* A row for a thread, or for the process: where an ICV's value is looked for, by its scope. */
struct row {
	struct entity thread, region, task;
	bool of_process;
};

/* false: the row has no value of this ICV. */
static bool entity_of(struct table *table, const struct row *row, ompd_scope_t scope,
		      struct entity *ret)
{
	if (row->of_process)
		return icv_entity_of_process(table->space, scope, ret) == ompd_rc_ok;
	if (scope == ompd_scope_thread)
		*ret = row->thread;
	else if (scope == ompd_scope_parallel)
		*ret = row->region;
	else if (scope == ompd_scope_task)
		*ret = row->task;
	else
		return false;
	return true;
}

/* Of new cells, which are the last ones. */
static ompd_rc_t fill_row(struct table *table, const struct row *row)
{
	const size_t width = table->icvs.count, first = table->cells.count - width;
	const bool same_region = !row->of_process && table->has_region &&
				 table->region.address == row->region.address &&
				 table->region.part == row->region.part;
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < width; i++) {
		const ompdx_icv_t *icv = vector_at(&table->icvs, i);
		struct cell *cell = vector_at(&table->cells, first + i);
		const struct cell *above = first ? cell - width : NULL;
		struct entity entity = {0};

		if (icv->scope == ompd_scope_parallel && same_region)
			*cell = *(struct cell *)vector_at(&table->cells, table->region_at + i);
		else if (entity_of(table, row, icv->scope, &entity))
			rc = fill(table, icv_row(icv->id)->icv, entity, above, cell);
	}
	table->has_region = !row->of_process;
	table->region = row->region;
	table->region_at = first;
	return rc;
}

/* Of a thread that is in a region; others have a row without values. */
static ompd_rc_t add_thread(struct table *table, const ompdx_view_thread_t *thread)
{
	const struct runtime_ops *runtime = table->space->runtime;
	struct row row = {.of_process = false};
	void *cells;
	ompd_rc_t rc = vector_add(&table->cells, table->icvs.count, SIZE_MAX, &cells);

	if (rc != ompd_rc_ok)
		return rc;
	if (thread->kind == ompdx_thread_none)
		return ompd_rc_ok;
	rc = runtime->thread_of_pthread(table->space, thread->pthread_id, &row.thread);
	if (rc == ompd_rc_ok)
		rc = runtime->region_of_thread(table->space, row.thread, &row.region);
	if (rc == ompd_rc_ok)
		rc = runtime->task_of_thread(table->space, row.thread, &row.task);
	if (rc != ompd_rc_ok)
		return rc == ompd_rc_nomem ? rc : ompd_rc_ok;
	return fill_row(table, &row);
}

static ompd_rc_t add_process(struct table *table)
{
	const struct row row = {.of_process = true};
	void *cells;
	const ompd_rc_t rc = vector_add(&table->cells, table->icvs.count, SIZE_MAX, &cells);

	return rc == ompd_rc_ok ? fill_row(table, &row) : rc;
}

static ompd_rc_t make_block(const struct table *table, void **ret)
{
	const size_t cells = table->cells.count;
	const size_t values_at = sizeof(ompdx_icvs_t) + table->icvs.count * sizeof(ompdx_icv_t);
	const size_t text_at = values_at + cells * sizeof(ompdx_icv_value_t);
	ompdx_icv_value_t *values;
	ompdx_icvs_t *answer;
	void *block = NULL;
	char *text;
	const ompd_rc_t rc = callback_alloc(1, text_at + table->text.count, &block);

	if (rc != ompd_rc_ok)
		return rc;
	answer = block;
	values = (void *)((char *)block + values_at);
	text = (char *)block + text_at;
	answer->size = sizeof(*answer);
	answer->icv_count = (uint32_t)table->icvs.count;
	answer->row_count = (uint32_t)(cells / table->icvs.count);
	answer->icvs = (void *)(answer + 1);
	answer->values = values;
	answer->value_size = sizeof(*values);
	answer->problem = table->problem;
	memcpy(answer + 1, table->icvs.items, table->icvs.count * sizeof(ompdx_icv_t));
	if (table->text.count)
		memcpy(text, table->text.items, table->text.count);
	for (size_t i = 0; i < cells; i++) {
		const struct cell *cell = vector_at(&table->cells, i);

		values[i].number = cell->number;
		values[i].known = cell->known;
		if (cell->known & OMPDX_ICV_TEXT)
			values[i].text = text + cell->text_at;
	}
	*ret = block;
	return ompd_rc_ok;
}

static ompd_rc_t read_table(struct table *table, const ompdx_view_t *view)
{
	ompd_rc_t rc = list_icvs(table);

	for (uint32_t i = 0; rc == ompd_rc_ok && i < view->thread_count; i++)
		rc = add_thread(table, &view->threads[i]);
	return rc == ompd_rc_ok ? add_process(table) : rc;
}

static ompd_rc_t make_icvs(struct snapshot *snapshot, unsigned part, void **block)
{
	struct table table = {.space = snapshot->space,
			      .icvs = {.item_size = sizeof(ompdx_icv_t)},
			      .cells = {.item_size = sizeof(struct cell)},
			      .text = {.item_size = 1},
			      .one = {.item_size = 1}};
	ompd_rc_t rc = read_table(&table, snapshot->parts[PICTURE_VIEW]);

	(void)part;
	if (rc == ompd_rc_ok)
		rc = make_block(&table, block);
	vector_deinit(&table.icvs);
	vector_deinit(&table.cells);
	vector_deinit(&table.text);
	vector_deinit(&table.one);
	return rc;
}

ompd_rc_t ompdx_snapshot_icvs(ompdx_snapshot_handle_t *handle, const ompdx_icvs_t **icvs)
{
	const ompdx_view_t *view;
	struct snapshot *snapshot;
	const void *block;
	ompd_rc_t rc = snapshot_find(handle, &snapshot);

	if (rc != ompd_rc_ok)
		return rc;
	if (!icvs)
		return ompd_rc_bad_input;
	if (!snapshot->space->runtime->icv)
		return ompd_rc_unsupported;
	/* Whose rows they are. */
	rc = ompdx_snapshot_view(handle, &view);
	if (rc == ompd_rc_ok)
		rc = snapshot_show(snapshot, SNAPSHOT_ICVS, make_icvs, &block);
	if (rc == ompd_rc_ok)
		*icvs = block;
	return rc;
}
