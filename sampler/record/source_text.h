/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a construct stands, for people: by what the compiler recorded, or by names and lines.
 */
#ifndef SAMPLER_SOURCE_TEXT_H
#define SAMPLER_SOURCE_TEXT_H

#include "inference/code.h"

struct source_text {
	char *function; /* NULL: not known */
	char *file;
	int line; /* 0: not known */
};

/* Of clang's ";file;function;line;column;;". false: it tells nothing. */
bool source_text_recorded(const char *source, struct source_text *text);

/* Of a place in the code. A construct's own function is told by the name of the one that holds it. */
void source_text_of_code(const struct code *code, struct source_text *text);

void source_text_deinit(struct source_text *text);

#endif /* SAMPLER_SOURCE_TEXT_H */
