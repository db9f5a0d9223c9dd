/* SPDX-License-Identifier: Apache-2.0 */
#include "record/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "inference/call_argument.h"
#include "names/names.h"
#include "record/source_text.h"

void tables_init(struct tables *tables, struct writer *writer, struct codes *codes,
		 struct tellings *tellings, uint64_t start)
{
	*tables = (struct tables){
		.writer = writer, .codes = codes, .tellings = tellings, .start = start};
	interner_init(&tables->frames, sizeof(struct frame));
	interner_init(&tables->stacks, sizeof(struct record_stack));
	interner_init(&tables->regions, sizeof(struct place));
	interner_init(&tables->constructs, sizeof(struct construct));
	interner_init(&tables->activities, sizeof(struct activity));
	interner_init(&tables->fork_places, sizeof(struct place));
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

static uint32_t number(struct tables *tables, struct interner *interner, const void *key,
		       bool *is_new)
{
	uint32_t found = intern(interner, key, is_new);

	tables->full |= found == NONE;
	return found;
}

uint32_t table_image(struct tables *tables, const struct image *image)
{
	if (!image)
		return NONE;
	while (image->number >= tables->image_capacity)
		tables->image_told = grow(tables->image_told, tables->image_capacity,
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

static struct place place_of(const struct code *code)
{
	struct place place = {.offset = code->pc, .image = NONE};

	if (code->image) {
		place.image = code->image->number;
		place.offset = code->pc - code->image->bias;
	}
	return place;
}

static void put_source(struct writer *writer, const struct source_text *text)
{
	put_text(writer, "function", text->function);
	put_text(writer, "file", text->file);
	if (text->line)
		put_number(writer, "line", (uint64_t)text->line);
	else
		put_null(writer, "line");
}

static void put_place(struct tables *tables, const struct place *place)
{
	put_number_or_null(tables->writer, "image", place->image);
	put_address(tables->writer, "offset", place->offset);
}

/* Of a place, and by what was recorded for it, if anything was. */
static void put_code(struct tables *tables, uint32_t code, const char *recorded)
{
	const struct code *one = code_of(tables->codes, code);
	struct source_text text;

	if (!source_text_recorded(recorded, &text)) {
		source_text_of_code(one, &text);
	} else if (!text.file) {
		struct source_text own;

		source_text_of_code(one, &own);
		text.file = own.file;
		own.file = NULL;
		source_text_deinit(&own);
	}
	put_source(tables->writer, &text);
	source_text_deinit(&text);
}

static void tell_region(struct tables *tables, uint32_t region, uint32_t code)
{
	struct region *more = &tables->region_more[region];

	table_image(tables, code_of(tables->codes, code)->image);
	line_begin(tables->writer);
	put_number(tables->writer, "region", region);
	put_code(tables, code, more->source);
	put_place(tables, interned(&tables->regions, region));
	put_text(tables->writer, "generator", more->league ? "teams" : "parallel");
	line_end(tables->writer);
	more->told = true;
}

uint32_t table_region(struct tables *tables, uint64_t function)
{
	if (!function)
		return NONE;
	uint32_t code = code_at(tables->codes, function);

	if (code == NONE)
		return NONE;
	struct place place = place_of(code_of(tables->codes, code));
	bool is_new;
	uint32_t region = number(tables, &tables->regions, &place, &is_new);

	if (region == NONE)
		return NONE;
	if (is_new) {
		tables->region_more = grow(tables->region_more, region, &tables->region_capacity,
					   sizeof *tables->region_more);
		tables->region_more[region] = (struct region){.forker = NONE};
	}
	if (!tables->region_more[region].told)
		tell_region(tables, region, code);
	return region;
}

void learn_region(struct tables *tables, uint32_t region, uint32_t forker, bool league,
		  const char *source)
{
	if (region == NONE)
		return;
	struct region *more = &tables->region_more[region];

	if (forker != NONE)
		more->forker = forker;
	if (league && !more->league) {
		more->league = true;
		more->told = false;
	}
	if (more->source || !source || !source[0])
		return;
	more->source = copy_text(source);
	more->told = false;
}

/* The place where regions are begun, as a number; NONE: there are too many. */
static uint32_t place_of_fork(struct tables *tables, uint32_t code)
{
	while (code >= tables->fork_code_capacity)
		tables->fork_codes = grow(tables->fork_codes, tables->fork_code_capacity,
					  &tables->fork_code_capacity, sizeof *tables->fork_codes);
	if (tables->fork_codes[code])
		return tables->fork_codes[code] - 1;
	struct place place = place_of(code_of(tables->codes, code));
	bool is_new;
	uint32_t at = number(tables, &tables->fork_places, &place, &is_new);

	if (at == NONE)
		return NONE;
	tables->fork_regions = grow(tables->fork_regions, at, &tables->fork_capacity,
				    sizeof *tables->fork_regions);
	if (is_new)
		tables->fork_regions[at] = NONE;
	tables->fork_codes[code] = at + 1;
	return at;
}

void learn_fork(struct tables *tables, uint32_t code, uint32_t region)
{
	const uint32_t at = place_of_fork(tables, code);

	if (at != NONE)
		tables->fork_regions[at] = region;
}

uint32_t region_of_fork(struct tables *tables, uint32_t code)
{
	const uint32_t at = code == NONE ? NONE : place_of_fork(tables, code);

	return at == NONE ? NONE : tables->fork_regions[at];
}

/* The lock that the call passes, or the critical construct's variable, and the construct's name. */
static void put_lock(struct tables *tables, const struct code *call)
{
	uint64_t address;

	if (!call->is_called || !call_argument(tables->codes->memory, call->pc + 1,
					       call->called.object_argument, &address))
		return;
	char *name = call->image ? name_critical(call->image, address) : NULL;

	put_text(tables->writer, "name", name);
	put_address(tables->writer, "address", address);
	free(name);
}

uint32_t table_construct(struct tables *tables, const struct told *told, uint32_t region)
{
	const char *kind = word_of_construct(told->wait, told->construct);
	struct construct key = {.wait = told->wait, .kind = told->construct, .region = NONE};
	const bool of_region = told->wait == ompdx_wait_region;
	const char *recorded = NULL;

	if (!kind || (of_region ? region == NONE : told->caller == NONE))
		return NONE;
	if (of_region) {
		key.region = region;
		key.place = *(const struct place *)interned(&tables->regions, region);
		recorded = tables->region_more[region].source;
	} else {
		key.place = place_of(code_of(tables->codes, told->caller));
		recorded = site_of(tables->tellings, told->caller)->source;
	}
	bool is_new;
	uint32_t construct = number(tables, &tables->constructs, &key, &is_new);

	if (!is_new)
		return construct;
	uint32_t code = told->caller;

	if (of_region) {
		const struct image *image = key.place.image == NONE
						    ? NULL
						    : tables->codes->images->all[key.place.image];

		code = code_at(tables->codes, key.place.offset + (image ? image->bias : 0));
	}
	if (code == NONE)
		return NONE;
	table_image(tables, code_of(tables->codes, code)->image);
	line_begin(tables->writer);
	put_number(tables->writer, "construct", construct);
	put_text(tables->writer, "kind", kind);
	put_code(tables, code, recorded);
	put_place(tables, &key.place);
	if (of_region)
		put_number(tables->writer, "region", region);
	else
		put_lock(tables, code_of(tables->codes, code));
	line_end(tables->writer);
	return construct;
}

static const char *word_of_frame(uint32_t kind)
{
	static const char *const words[] = {"user",    "construct", "wait",
					    "runtime", "system",    "unknown"};

	return words[kind];
}

/* What is known of the region whose code the place is in; NULL: nothing, or it is in none. */
static const char *source_of_region(struct tables *tables, const struct code *code)
{
	if (!code->function || !code->image)
		return NULL;
	const struct place place = {code->function - code->image->bias, code->image->number, 0};

	for (uint32_t i = 0; i < tables->regions.count; i++) {
		const struct place *region = interned(&tables->regions, i);

		if (region->image == place.image && region->offset == place.offset)
			return tables->region_more[i].source;
	}
	return NULL;
}

/* Its line, and its function: that of a construct whose code has no name of its own is the construct's. */
static void text_of_frame(struct tables *tables, const struct code *code, struct source_text *text)
{
	struct source_text recorded;

	source_text_of_code(code, text);
	if (text->function || !source_text_recorded(source_of_region(tables, code), &recorded))
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
	key.function = place_of(&one);
	if (one.function && one.image)
		key.function.offset = one.function - one.image->bias;
	else if (kind == FRAME_SYSTEM)
		key.function.offset = 0;
	key.line = kind == FRAME_USER ? (uint32_t)text.line : 0;
	/* Without lines each call is a place of its own. */
	if (kind == FRAME_USER && !text.line)
		key.function.offset = place_of(&one).offset;
	uint32_t frame = number(tables, &tables->frames, &key, &is_new);

	if (is_new) {
		const struct place place = place_of(&one);

		table_image(tables, one.image);
		line_begin(tables->writer);
		put_number(tables->writer, "frame", frame);
		put_text(tables->writer, "kind", word_of_frame(key.kind));
		put_source(tables->writer, &text);
		put_place(tables, &place);
		line_end(tables->writer);
	}
	source_text_deinit(&text);
	return frame;
}

uint32_t table_frame(struct tables *tables, enum frame_kind kind, uint32_t code)
{
	while (code >= tables->frame_of_code_capacity)
		tables->frame_of_code =
			grow(tables->frame_of_code, tables->frame_of_code_capacity,
			     &tables->frame_of_code_capacity, sizeof *tables->frame_of_code);
	if (!tables->frame_of_code[code])
		tables->frame_of_code[code] = make_frame(tables, kind, code) + 1;
	return tables->frame_of_code[code] - 1;
}

uint32_t table_construct_frame(struct tables *tables, uint32_t region, uint32_t code)
{
	struct frame key = {
		.kind = FRAME_CONSTRUCT, .region = region, .construct = NONE, .state = NONE};
	bool is_new;

	/* A task's code: wherever in it. */
	if (region == NONE && code != NONE) {
		const struct code *one = code_of(tables->codes, code);

		key.function = place_of(one);
		if (one->function && one->image)
			key.function.offset = one->function - one->image->bias;
	}
	uint32_t frame = number(tables, &tables->frames, &key, &is_new);

	if (!is_new)
		return frame;
	const char *recorded = NULL;

	if (region != NONE) {
		const struct place *place = interned(&tables->regions, region);
		const struct image *image =
			place->image == NONE ? NULL : tables->codes->images->all[place->image];

		code = code_at(tables->codes, place->offset + (image ? image->bias : 0));
		recorded = tables->region_more[region].source;
	}
	line_begin(tables->writer);
	put_number(tables->writer, "frame", frame);
	put_text(tables->writer, "kind", word_of_frame(FRAME_CONSTRUCT));
	put_text(tables->writer, "text",
		 region == NONE                       ? "#pragma omp task"
		 : tables->region_more[region].league ? "#pragma omp teams"
						      : "#pragma omp parallel");
	if (code != NONE)
		put_code(tables, code, recorded);
	put_number_or_null(tables->writer, "region", region);
	line_end(tables->writer);
	return frame;
}

uint32_t table_wait_frame(struct tables *tables, uint32_t state, uint32_t construct)
{
	struct frame key = {
		.kind = FRAME_WAIT, .region = NONE, .construct = construct, .state = state};
	bool is_new;
	uint32_t frame = number(tables, &tables->frames, &key, &is_new);

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

uint32_t table_stack(struct tables *tables, uint32_t parent, uint32_t frame)
{
	struct record_stack key = {parent, frame};
	bool is_new;

	if (frame == NONE)
		return parent;
	uint32_t stack = number(tables, &tables->stacks, &key, &is_new);

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
	const char *why = sentence_of_doubt((ompdx_doubt_t)key->doubt);
	bool is_new;
	uint32_t activity = number(tables, &tables->activities, key, &is_new);

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
