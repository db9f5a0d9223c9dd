/* SPDX-License-Identifier: Apache-2.0 */
#include "python/interpreter.h"

#include <string.h>

#include "names/names.h"

/* Its library's name, and that of the program of its own. Any program may hold one, a library of another name does not. */
static const char named[] = "python";

static bool may_hold_one(const struct images *images, const struct image *image)
{
	const char *slash = image->path ? strrchr(image->path, '/') : NULL;

	return slash &&
	       (image->number == images->mappings[0].image->number || strstr(slash, named) != NULL);
}

/* Of 3.x; 0: of none that is known. */
static uint32_t minor_of(struct image *image, struct memory *memory)
{
	const uint64_t version = name_address(image, "Py_Version");
	uint32_t number;

	if (version)
		return memory_read(memory, version, sizeof number, &number) && number >> 24 == 3
			       ? number >> 16 & 255
			       : 0;
	return name_address(image, "Py_NewRef") ? 10 : 0;
}

/* false: there is none, or none that is known, or it has not begun yet. */
static bool look(struct interpreter *interpreter, struct image *image, struct memory *memory)
{
	uint64_t head = 0;

	interpreter->runtime = name_address(image, "_PyRuntime");
	if (!interpreter->runtime)
		return false;
	switch (python_layout_told(memory, interpreter->runtime, &interpreter->layout)) {
	case PYTHON_TELLS:
		break;
	case PYTHON_TELLS_NOT:
		if (python_layout_of(minor_of(image, memory), &interpreter->layout))
			break;
		return false;
	default:
		return false;
	}
	memory_read(memory, interpreter->runtime + interpreter->layout.interpreters, sizeof head,
		    &head);
	interpreter->is_settled &= head != 0;
	return head != 0;
}

void interpreter_look(struct interpreter *interpreter)
{
	interpreter->is_settled = false;
}

void interpreter_find(struct interpreter *interpreter, const struct images *images,
		      struct memory *memory)
{
	if (interpreter->is_settled)
		return;
	interpreter->image = NULL;
	interpreter->is_settled = true;
	for (size_t i = 0; i < images->mapping_count && !interpreter->image; i++) {
		struct image *image = images->mappings[i].image;

		if (may_hold_one(images, image) && look(interpreter, image, memory))
			interpreter->image = image;
	}
}

static bool read_word(struct memory *memory, uint64_t address, uint64_t *word)
{
	return memory_read(memory, address, sizeof *word, word);
}

uint32_t interpreter_states(const struct interpreter *interpreter, struct memory *memory,
			    uint64_t *states, uint32_t most)
{
	const struct python_layout *layout = &interpreter->layout;
	uint64_t one, state, its;
	uint32_t count = 0, interpreters = 0;

	if (!read_word(memory, interpreter->runtime + layout->interpreters, &one))
		return 0;
	while (one && interpreters++ < PYTHON_MOST_INTERPRETERS) {
		if (!read_word(memory, one + layout->states, &state))
			return count;
		while (state && count < most) {
			if (!read_word(memory, state + layout->interpreter, &its) || its != one)
				return count;
			states[count++] = state;
			if (!read_word(memory, state + layout->next_state, &state))
				return count;
		}
		if (!read_word(memory, one + layout->next_interpreter, &one))
			return count;
	}
	return count;
}
