/* SPDX-License-Identifier: Apache-2.0 */
#include "record/tables.h"

#include <stdlib.h>

#include "base/grow.h"
#include "record/words.h"

void tables_init(struct tables *tables, struct writer *writer, struct codes *codes,
		 struct tellings *tellings, uint64_t start)
{
	*tables = (struct tables){
		.writer = writer, .codes = codes, .tellings = tellings, .start = start};
	interner_init(&tables->frames, sizeof(struct frame));
	interner_init(&tables->stacks, sizeof(struct record_stack));
	interner_init(&tables->regions, sizeof(struct code_place));
	interner_init(&tables->constructs, sizeof(struct construct));
	interner_init(&tables->activities, sizeof(struct activity));
	interner_init(&tables->fork_places, sizeof(struct code_place));
}

void tables_deinit(struct tables *tables)
{
	for (uint32_t i = 0; i < tables->regions.count; i++)
		free(tables->region_more[i].source);
	free(tables->region_more);
	free(tables->fork_regions);
	free(tables->fork_codes);
	free(tables->image_told);
	free(tables->frame_of_code);
	interner_deinit(&tables->frames);
	interner_deinit(&tables->stacks);
	interner_deinit(&tables->regions);
	interner_deinit(&tables->constructs);
	interner_deinit(&tables->activities);
	interner_deinit(&tables->fork_places);
}

uint32_t table_number(struct tables *tables, struct interner *of, const void *key, bool *is_new)
{
	uint32_t found = intern(of, key, is_new);

	tables->full |= found == NONE;
	return found;
}

uint32_t table_image(struct tables *tables, const struct image *image)
{
	if (!image)
		return NONE;
	while (image->number >= tables->image_capacity)
		tables->image_told = grow_array(tables->image_told, tables->image_capacity,
						&tables->image_capacity, sizeof(bool));
	if (tables->image_told[image->number])
		return image->number;
	tables->image_told[image->number] = true;
	line_begin(tables->writer);
	put_number(tables->writer, "image", image->number);
	put_text(tables->writer, "kind", word_of_image(image->kind));
	put_text(tables->writer, "path", image->path);
	put_text(tables->writer, "build_id", image->build_id[0] ? image->build_id : NULL);
	put_address(tables->writer, "bias", image->bias);
	line_end(tables->writer);
	return image->number;
}

uint32_t table_stack(struct tables *tables, uint32_t parent, uint32_t frame)
{
	struct record_stack key = {parent, frame};
	bool is_new;

	if (frame == NONE)
		return parent;
	uint32_t stack = table_number(tables, &tables->stacks, &key, &is_new);

	if (!is_new)
		return stack;
	line_begin(tables->writer);
	put_number(tables->writer, "stack", stack);
	put_number(tables->writer, "frame", frame);
	put_number_or_null(tables->writer, "parent", parent);
	line_end(tables->writer);
	return stack;
}

uint32_t table_activity(struct tables *tables, const struct activity *key)
{
	struct writer *writer = tables->writer;
	const char *why = sentence_of_doubt(key->doubt);
	bool is_new;
	uint32_t activity = table_number(tables, &tables->activities, key, &is_new);

	if (!is_new)
		return activity;
	line_begin(writer);
	put_number(writer, "activity", activity);
	put_text(writer, "state", word_of_state(key->state));
	if (key->on != NONE)
		put_bool(writer, "on", key->on == 1);
	put_number_or_null(writer, "stack", key->stack);
	put_number_or_null(writer, "region", key->region);
	if (key->region != NONE && key->level >= 0)
		put_signed(writer, "level", key->level);
	put_number_or_null(writer, "team", key->team);
	if (key->thread_num >= 0)
		put_signed(writer, "thread_num", key->thread_num);
	else
		put_null(writer, "thread_num");
	put_number_or_null(writer, "construct", key->construct);
	put_number_or_null(writer, "holder", key->holder);
	put_text(writer, "certainty",
		 key->state == STATE_UNKNOWN ? "unknown"
		 : why                       ? "likely"
					     : "certain");
	put_text(writer, "why", why);
	line_end(writer);
	return activity;
}

void table_thread(struct tables *tables, struct thread *thread)
{
	struct writer *writer = tables->writer;

	if (thread->told)
		return;
	thread->told = true;
	line_begin(writer);
	put_number(writer, "thread", thread->number);
	put_number(writer, "lwp", (uint64_t)thread->lwp);
	put_text(writer, "name", thread->name[0] ? thread->name : NULL);
	put_number(writer, "born", thread->born - tables->start);
	put_number_or_null(writer, "runtime", thread->runtime);
	if (thread->runtime != NONE) {
		put_text(writer, "kind", word_of_thread(thread->kind));
		put_signed(writer, "runtime_id", thread->runtime_id);
	} else {
		put_text(writer, "kind", thread->seen ? "none" : NULL);
		put_null(writer, "runtime_id");
	}
	line_end(writer);
}

void table_runtime(struct tables *tables, const struct runtime *runtime, uint64_t at)
{
	struct writer *writer = tables->writer;
	uint32_t image = table_image(tables, runtime->image);

	line_begin(writer);
	put_number(writer, "runtime", runtime->number);
	put_text(writer, "kind", word_of_runtime(runtime->kind));
	put_text(writer, "version", runtime->version[0] ? runtime->version : NULL);
	put_text(writer, "build_id", runtime->build_id[0] ? runtime->build_id : NULL);
	put_number_or_null(writer, "image", image);
	put_number(writer, "at", at - tables->start);
	line_end(writer);
}
