/* SPDX-License-Identifier: Apache-2.0
 *
 * Places in Python's code: what has been read of a code object is kept, as long as its members stay the same.
 */
#ifndef SAMPLER_PYTHON_OBJECTS_H
#define SAMPLER_PYTHON_OBJECTS_H

#include "base/intern.h"
#include "python/layouts.h"

/* No code of the process's lies there: places of Python's have such addresses among others' on a stack. */
#define PYTHON_PLACES (UINT64_C(1) << 63)
/* Frames that are not known, between those that are. */
#define PYTHON_UNTOLD UINT64_MAX

struct python_code {
	char *function; /* NULL: it is the interpreter's own */
	char *file;
	uint8_t *table; /* of its lines */
	size_t table_size;
	int32_t first_line;
};

struct python_place {
	uint32_t code;
	int32_t line; /* 0: the code there has none */
};

struct python_objects {
	struct memory *memory;
	const struct python_layout *layout;
	struct interner known; /* code objects, by what their members are */
	struct python_code *codes;
	size_t code_capacity;
	struct interner places; /* of struct python_place */
};

void python_objects_init(struct python_objects *objects, struct memory *memory,
			 const struct python_layout *layout);
void python_objects_deinit(struct python_objects *objects);

enum python_found { PYTHON_UNREADABLE, PYTHON_HIDDEN, PYTHON_FOUND };

/* Where a frame is, by its word for the instruction. PYTHON_HIDDEN: it is a frame of the interpreter's own. */
enum python_found python_place_of(struct python_objects *objects, uint64_t code,
				  uint64_t instruction, uint64_t *place);

/* A damaged stack can have any address: is it one of the places that were found, or what stands between them? */
bool python_is_place(const struct python_objects *objects, uint64_t address);

/* What an address of a place stands for; valid until another is found. NULL: PYTHON_UNTOLD. */
const struct python_code *python_code_at(const struct python_objects *objects, uint64_t place,
					 int32_t *line);

#endif /* SAMPLER_PYTHON_OBJECTS_H */
