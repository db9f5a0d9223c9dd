/* SPDX-License-Identifier: Apache-2.0
 *
 * A place in the code, as the record has it: where in which file, and the function, file and line that it is of.
 */
#ifndef SAMPLER_PLACES_H
#define SAMPLER_PLACES_H

#include "inference/code.h"
#include "record/source_text.h"
#include "record/writer.h"

/* Interned: no padding. image NONE, offset 0: in no image. */
struct code_place {
	uint64_t offset;
	uint32_t image;
	uint32_t reserved;
};

struct code_place code_place_of(const struct code *code);
/* Where its function begins, or the place itself where that is not known. */
struct code_place place_of_function(const struct code *code);

void put_place(struct writer *writer, const struct code_place *place);
void put_source(struct writer *writer, const struct source_text *text);
/* Of a place, and by what was recorded for it, if anything was. */
void put_code(struct writer *writer, const struct code *code, const char *recorded);

#endif /* SAMPLER_PLACES_H */
