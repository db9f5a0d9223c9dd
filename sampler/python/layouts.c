/* SPDX-License-Identifier: Apache-2.0 */
#include "python/layouts.h"

#include <string.h>

/* Words of the table that are read: the last that any release is asked for lies before it. */
#define WORDS 96

static const struct python_layout releases[] = {
#define PYTHON_RELEASE(...) {__VA_ARGS__},
#include "python/layouts.inc"
#undef PYTHON_RELEASE
};

bool python_layout_of(uint32_t minor, struct python_layout *layout)
{
	for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
		if (releases[i].minor != minor)
			continue;
		*layout = releases[i];
		return true;
	}
	return false;
}

/* A structure that is read as a whole reaches no further. Members of an interpreter's state are read one by one. */
static bool is_possible(const struct python_layout *layout)
{
#define PYTHON_MEMBER(name)                                                                        \
	if (layout->name != NO_MEMBER && layout->name > PYTHON_MOST_STATE)                         \
		return false;
#include "python/layouts.inc"
#undef PYTHON_MEMBER
	const uint32_t near[] = {
		layout->next_state, layout->interpreter, layout->frame,       layout->caller,
		layout->code,       layout->instruction, layout->owner,       layout->file,
		layout->name,       layout->qualname,    layout->line_table,  layout->first_line,
		layout->bytecode,   layout->object_type, layout->type_name,   layout->bytes_size,
		layout->bytes_data, layout->text_state,  layout->text_length, layout->text_ascii};

	for (size_t i = 0; i < sizeof near / sizeof *near; i++)
		if (near[i] > PYTHON_MOST_OFFSET)
			return false;
	return true;
}

static uint32_t offset(uint64_t word)
{
	return word < PYTHON_MOST_STATE ? (uint32_t)word : PYTHON_MOST_STATE + 1;
}

enum python_told python_layout_told(struct memory *memory, uint64_t runtime,
				    struct python_layout *layout)
{
	uint64_t words[WORDS];
	uint32_t minor;

	if (!memory_read(memory, runtime, sizeof words, words))
		return PYTHON_REFUSED;
	if (memcmp(words, PYTHON_COOKIE, sizeof *words) != 0)
		return PYTHON_TELLS_NOT;
	minor = (uint32_t)(words[1] >> 16 & 255);
	/* Objects of free-threaded builds are others. */
	if ((words[1] >> 24 & 255) != 3 || words[2])
		return PYTHON_REFUSED;
	/* What is no word of the table is as it was in the last release without one. */
	*layout = releases[sizeof releases / sizeof *releases - 1];
	layout->minor = 0;
	layout->cframe = layout->root_cframe = NO_MEMBER;
#define PYTHON_WORD(release, name, at)                                                             \
	if (minor == (release)) {                                                                  \
		layout->minor = minor;                                                             \
		layout->name = offset(words[at]);                                                  \
	}
#include "python/layouts.inc"
#undef PYTHON_WORD
	layout->text_compact = layout->text_ascii + 16;
	return layout->minor && is_possible(layout) ? PYTHON_TELLS : PYTHON_REFUSED;
}
