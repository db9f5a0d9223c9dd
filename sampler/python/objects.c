/* SPDX-License-Identifier: Apache-2.0 */
#include "python/objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "python/lines.h"

#define RECORD_BYTES_MAX (PYTHON_MOST_OFFSET + 16)

/* Since 3.12 a class's __init__ is called by a frame of the interpreter's that is called so, also its file. */
static const char own_frame[] = "__init__";

/* A code object: another one at the same address has other members. No padding. */
struct known_code {
	uint64_t address, name, qualname, file, table, first_line;
};

void python_objects_init(struct python_objects *objects, struct memory *memory,
			 const struct python_layout *layout)
{
	*objects = (struct python_objects){.memory = memory, .layout = layout};
	interner_init(&objects->known, sizeof(struct known_code));
	interner_init(&objects->places, sizeof(struct python_place));
}

void python_objects_deinit(struct python_objects *objects)
{
	for (uint32_t i = 0; i < objects->known.count; i++) {
		free(objects->codes[i].function);
		free(objects->codes[i].file);
		free(objects->codes[i].table);
	}
	free(objects->codes);
	interner_deinit(&objects->known);
	interner_deinit(&objects->places);
}

static uint64_t word_at(const uint8_t *bytes, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof word);
	return word;
}

static int32_t number_at(const uint8_t *bytes, uint32_t offset)
{
	int32_t number;

	memcpy(&number, bytes + offset, sizeof number);
	return number;
}

/* An object of the type with this name. */
static bool read_object(const struct python_objects *objects, uint64_t address, const char *type,
			size_t size, uint8_t *bytes)
{
	const struct python_layout *layout = objects->layout;
	uint64_t name;
	char is[8] = "";

	return memory_read(objects->memory, address, size, bytes) &&
	       memory_read(objects->memory, word_at(bytes, layout->object_type) + layout->type_name,
			   sizeof name, &name) &&
	       memory_read(objects->memory, name, strlen(type) + 1, is) && strcmp(is, type) == 0;
}

/* A lone half of a pair has no bytes of its own. */
static size_t encode(uint32_t character, char *text)
{
	if (character < 0x80) {
		text[0] = (char)character;
		return 1;
	}
	if (character < 0x800) {
		text[0] = (char)(0xC0 | character >> 6);
		text[1] = (char)(0x80 | (character & 63));
		return 2;
	}
	if ((character >= 0xD800 && character < 0xE000) || character > 0x10FFFF)
		character = 0xFFFD;
	if (character < 0x10000) {
		text[0] = (char)(0xE0 | character >> 12);
		text[1] = (char)(0x80 | (character >> 6 & 63));
		text[2] = (char)(0x80 | (character & 63));
		return 3;
	}
	text[0] = (char)(0xF0 | character >> 18);
	text[1] = (char)(0x80 | (character >> 12 & 63));
	text[2] = (char)(0x80 | (character >> 6 & 63));
	text[3] = (char)(0x80 | (character & 63));
	return 4;
}

static char *encoded(const uint8_t *bytes, size_t length, unsigned width)
{
	char *text = take_memory(4 * length + 1, 1);
	size_t size = 0;

	for (size_t i = 0; i < length; i++) {
		uint32_t character = 0;

		memcpy(&character, bytes + i * width, width);
		size += encode(character, text + size);
	}
	return text;
}

/* NULL: it cannot be read. */
static char *read_text(const struct python_objects *objects, uint64_t address)
{
	const struct python_layout *layout = objects->layout;
	uint8_t bytes[RECORD_BYTES_MAX], data[4 * PYTHON_MOST_TEXT];

	if (!read_object(objects, address, "str", layout->text_compact, bytes))
		return NULL;
	const uint32_t state = (uint32_t)number_at(bytes, layout->text_state) >> 2;
	const unsigned width = state & 7;
	uint64_t length = word_at(bytes, layout->text_length);
	uint64_t at = address + (state >> 4 & 1 ? layout->text_ascii : layout->text_compact);

	if (width != 1 && width != 2 && width != 4)
		return NULL;
	if (!(state >> 3 & 1) &&
	    !memory_read(objects->memory, address + layout->text_compact, sizeof at, &at))
		return NULL;
	if (length > PYTHON_MOST_TEXT)
		length = PYTHON_MOST_TEXT;
	if (length && !memory_read(objects->memory, at, length * width, data))
		return NULL;
	return encoded(data, length, width);
}

static bool read_table(const struct python_objects *objects, uint64_t address,
		       struct python_code *code)
{
	const struct python_layout *layout = objects->layout;
	uint8_t bytes[RECORD_BYTES_MAX];

	if (!read_object(objects, address, "bytes", layout->bytes_data, bytes))
		return false;
	const uint64_t size = word_at(bytes, layout->bytes_size);

	if (size > PYTHON_MOST_TABLE)
		return false;
	code->table = take_memory(size + 1, 1);
	code->table_size = size;
	return !size ||
	       memory_read(objects->memory, address + layout->bytes_data, size, code->table);
}

/* What was renamed is called that in tracebacks, too. */
static char *name_of(const struct python_objects *objects, const struct known_code *known)
{
	char *name = read_text(objects, known->name);
	char *qualified = known->qualname ? read_text(objects, known->qualname) : NULL;

	if (!name || !qualified) {
		free(qualified);
		return name;
	}
	const char *last = strrchr(qualified, '.');
	const bool is_same = strcmp(last ? last + 1 : qualified, name) == 0;

	free(is_same ? name : qualified);
	return is_same ? qualified : name;
}

/* Without a file: it cannot be read. */
static void read_code(const struct python_objects *objects, const struct known_code *known,
		      struct python_code *code)
{
	*code = (struct python_code){.first_line = (int32_t)known->first_line};
	code->function = name_of(objects, known);
	code->file = read_text(objects, known->file);
	if (code->function && code->file && read_table(objects, known->table, code)) {
		if (strcmp(code->file, own_frame) == 0 && strcmp(code->function, own_frame) == 0) {
			free(code->function);
			code->function = NULL;
		}
		return;
	}
	free(code->function);
	free(code->file);
	free(code->table);
	*code = (struct python_code){0};
}

static uint32_t code_number(struct python_objects *objects, uint64_t address)
{
	const struct python_layout *layout = objects->layout;
	uint8_t bytes[RECORD_BYTES_MAX];
	const uint32_t ends[] = {layout->line_table, layout->file, layout->name,
				 layout->qualname == NO_MEMBER ? 0 : layout->qualname,
				 layout->first_line};
	uint32_t end = 0;
	bool is_new;

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		end = ends[i] > end ? ends[i] : end;
	if (!read_object(objects, address, "code", end + 8, bytes))
		return NONE;
	const struct known_code known = {
		address,
		word_at(bytes, layout->name),
		layout->qualname == NO_MEMBER ? 0 : word_at(bytes, layout->qualname),
		word_at(bytes, layout->file),
		word_at(bytes, layout->line_table),
		(uint64_t)(uint32_t)number_at(bytes, layout->first_line)};
	const uint32_t before = objects->known.count;
	const uint32_t number = intern(&objects->known, &known, &is_new);

	if (number == NONE || !is_new)
		return number;
	objects->codes =
		grow_array(objects->codes, before, &objects->code_capacity, sizeof *objects->codes);
	read_code(objects, &known, &objects->codes[number]);
	return number;
}

/* As the code's table counts it. */
static bool position(const struct python_objects *objects, uint64_t code, uint64_t instruction,
		     int64_t *at)
{
	const struct python_layout *layout = objects->layout;

	if (layout->bytecode == NO_MEMBER) {
		*at = 2 * (int64_t)(int32_t)instruction;
		return true;
	}
	*at = (int64_t)(instruction - code - layout->bytecode);
	if (*at < -2 || *at >= PYTHON_MOST_CODE || *at & 1)
		return false;
	*at /= 2;
	return true;
}

enum python_found python_place_of(struct python_objects *objects, uint64_t code,
				  uint64_t instruction, uint64_t *place)
{
	const uint32_t number = code_number(objects, code);
	int64_t at;

	if (number == NONE || !position(objects, code, instruction, &at))
		return PYTHON_UNREADABLE;
	const struct python_code *known = &objects->codes[number];

	if (!known->file)
		return PYTHON_UNREADABLE;
	if (!known->function)
		return PYTHON_HIDDEN;
	const struct python_place found = {number,
					   python_line(objects->layout->minor, known->table,
						       known->table_size, known->first_line, at)};
	const uint32_t place_number = intern(&objects->places, &found, NULL);

	*place = PYTHON_PLACES | place_number;
	return place_number == NONE ? PYTHON_UNREADABLE : PYTHON_FOUND;
}

bool python_is_place(const struct python_objects *objects, uint64_t address)
{
	if (address == PYTHON_UNTOLD)
		return objects->places.count > 0;
	return (address & PYTHON_PLACES) && (address & ~PYTHON_PLACES) < objects->places.count;
}

const struct python_code *python_code_at(const struct python_objects *objects, uint64_t place,
					 int32_t *line)
{
	if (place == PYTHON_UNTOLD)
		return NULL;
	const struct python_place *found =
		interned(&objects->places, (uint32_t)(place & ~PYTHON_PLACES));

	*line = found->line;
	return &objects->codes[found->code];
}
