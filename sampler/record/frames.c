/* SPDX-License-Identifier: Apache-2.0 */
#include "record/frames.h"

#include "base/grow.h"
#include "record/regions.h"
#include "record/words.h"

static const char *word_of_frame(uint32_t kind)
{
	static const char *const words[] = {"user",    "construct", "wait",
					    "runtime", "system",    "unknown"};

	return words[kind];
}

/* Its line, and its function: that of a construct whose code has no name of its own is the construct's. */
static void text_of_frame(struct tables *tables, const struct code *code, struct source_text *text)
{
	struct source_text recorded;

	if (code->is_python) {
		*text = (struct source_text){0};
		const struct python_code *python =
			python_code_at(tables->codes->python, code->pc, &text->line);

		if (python) {
			text->function = copy_text(python->function);
			text->file = copy_text(python->file);
		}
		return;
	}
	source_text_of_code(code, text);
	const uint32_t region = region_around(tables, code);

	if (text->function || region == NONE ||
	    !source_text_recorded(tables->region_more[region].source, &recorded))
		return;
	text->function = recorded.function;
	recorded.function = NULL;
	source_text_deinit(&recorded);
}

static uint32_t make_frame(struct tables *tables, enum frame_kind kind, uint32_t code)
{
	const struct code one = *code_of(tables->codes, code);
	struct frame key = {
		.kind = (uint32_t)kind, .region = NONE, .construct = NONE, .state = NONE};
	struct source_text text;
	bool is_new;

	text_of_frame(tables, &one, &text);
	key.function = place_of_function(&one);
	if (kind == FRAME_SYSTEM && !(one.function && one.image))
		key.function.offset = 0;
	key.line = kind == FRAME_USER ? (uint32_t)text.line : 0;
	/* Without lines each call is a place of its own. */
	if (kind == FRAME_USER && !text.line)
		key.function.offset = code_place_of(&one).offset;
	uint32_t frame = table_number(tables, &tables->frames, &key, &is_new);

	if (is_new) {
		const struct code_place place = code_place_of(&one);

		table_image(tables, one.image);
		line_begin(tables->writer);
		put_number(tables->writer, "frame", frame);
		put_text(tables->writer, "kind", word_of_frame(key.kind));
		put_source(tables->writer, &text);
		if (one.is_python)
			put_text(tables->writer, "language", "python");
		else
			put_place(tables->writer, &place);
		line_end(tables->writer);
	}
	source_text_deinit(&text);
	return frame;
}

uint32_t table_frame(struct tables *tables, enum frame_kind kind, uint32_t code)
{
	while (code >= tables->frame_of_code_capacity)
		tables->frame_of_code =
			grow_array(tables->frame_of_code, tables->frame_of_code_capacity,
				   &tables->frame_of_code_capacity, sizeof *tables->frame_of_code);
	if (!tables->frame_of_code[code])
		tables->frame_of_code[code] = make_frame(tables, kind, code) + 1;
	return tables->frame_of_code[code] - 1;
}

static struct frame key_of_construct(void)
{
	return (struct frame){
		.kind = FRAME_CONSTRUCT, .region = NONE, .construct = NONE, .state = NONE};
}

static void put_construct(struct tables *tables, uint32_t frame, const char *text)
{
	line_begin(tables->writer);
	put_number(tables->writer, "frame", frame);
	put_text(tables->writer, "kind", word_of_frame(FRAME_CONSTRUCT));
	put_text(tables->writer, "text", text);
}

uint32_t table_region_frame(struct tables *tables, uint32_t region)
{
	struct frame key = key_of_construct();
	bool is_new;

	key.region = region;
	uint32_t frame = table_number(tables, &tables->frames, &key, &is_new);

	if (!is_new)
		return frame;
	const uint32_t code = code_of_region(tables, region);

	put_construct(tables, frame,
		      tables->region_more[region].league ? "#pragma omp teams"
							 : "#pragma omp parallel");
	if (code != NONE)
		put_code(tables->writer, code_of(tables->codes, code),
			 tables->region_more[region].source);
	put_number(tables->writer, "region", region);
	line_end(tables->writer);
	return frame;
}

uint32_t table_task_frame(struct tables *tables, uint32_t code)
{
	struct frame key = key_of_construct();
	bool is_new;

	/* Wherever in its code. */
	key.function = place_of_function(code_of(tables->codes, code));
	uint32_t frame = table_number(tables, &tables->frames, &key, &is_new);

	if (!is_new)
		return frame;
	table_image(tables, code_of(tables->codes, code)->image);
	put_construct(tables, frame, "#pragma omp task");
	put_code(tables->writer, code_of(tables->codes, code), NULL);
	put_place(tables->writer, &key.function);
	put_null(tables->writer, "region");
	line_end(tables->writer);
	return frame;
}

uint32_t table_wait_frame(struct tables *tables, uint32_t state, uint32_t construct)
{
	struct frame key = {
		.kind = FRAME_WAIT, .region = NONE, .construct = construct, .state = state};
	bool is_new;
	uint32_t frame = table_number(tables, &tables->frames, &key, &is_new);

	if (!is_new)
		return frame;
	line_begin(tables->writer);
	put_number(tables->writer, "frame", frame);
	put_text(tables->writer, "kind", word_of_frame(FRAME_WAIT));
	put_text(tables->writer, "text", word_of_state(state));
	put_number_or_null(tables->writer, "construct", construct);
	line_end(tables->writer);
	return frame;
}
