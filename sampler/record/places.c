/* SPDX-License-Identifier: Apache-2.0 */
#include "record/places.h"

#include <stddef.h>

struct code_place code_place_of(const struct code *code)
{
	struct code_place place = {.offset = code->pc, .image = NONE};

	if (code->image) {
		place.image = code->image->number;
		place.offset = code->pc - code->image->bias;
	}
	return place;
}

struct code_place place_of_function(const struct code *code)
{
	struct code_place place = code_place_of(code);

	if (code->image && code->function)
		place.offset = code->function - code->image->bias;
	return place;
}

void put_place(struct writer *writer, const struct code_place *place)
{
	put_number_or_null(writer, "image", place->image);
	put_address(writer, "offset", place->offset);
}

void put_source(struct writer *writer, const struct source_text *text)
{
	put_text(writer, "function", text->function);
	put_text(writer, "file", text->file);
	if (text->line)
		put_number(writer, "line", (uint64_t)text->line);
	else
		put_null(writer, "line");
}

void put_code(struct writer *writer, const struct code *code, const char *recorded)
{
	struct source_text text;

	if (!source_text_recorded(recorded, &text)) {
		source_text_of_code(code, &text);
	} else if (!text.file) {
		struct source_text own;

		source_text_of_code(code, &own);
		text.file = own.file;
		own.file = NULL;
		source_text_deinit(&own);
	}
	put_source(writer, &text);
	source_text_deinit(&text);
}
