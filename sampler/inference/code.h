/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of each place in the code that was met on a stack. A place that is met again has its number.
 */
#ifndef SAMPLER_CODE_H
#define SAMPLER_CODE_H

#include <ompd-ext.h>

#include "base/intern.h"
#include "python/objects.h"
#include "target/images.h"

struct code {
	uint64_t pc;
	struct image *image; /* NULL: none is there */
	const char *symbol;  /* of its function; NULL: not known. Lives as long as the code */
	uint64_t function;   /* where that begins; 0: not known */
	ompdx_frame_t frame; /* its function member is set when it is asked for: codes move */
	ompdx_function_t described;
	bool is_described;
	ompdx_function_t called; /* what is called before pc, if that is looked at and known */
	bool is_called;
	bool call_unresolved; /* by the dynamic linker: it is looked at again */
	uint32_t met_unresolved;
	bool is_region; /* a call that begins regions passes it */
	bool is_python; /* no place in compiled code: pc is python/objects.h's */
};

/* The runtimes that are open: whose code is in which image. */
struct runtime_code {
	uint32_t number;
	ompdx_runtime_kind_t kind;
	const struct image *image;
	bool embedded; /* in an image that holds more than the runtime */
};

struct codes {
	struct images *images;
	struct memory *memory;
	const struct python_objects *python;
	const struct runtime_code *runtimes;
	size_t runtime_count;
	struct code *codes;
	uint32_t count;
	size_t capacity;
	uint32_t *slots;
	size_t slot_count;
};

void codes_init(struct codes *codes, struct images *images, struct memory *memory,
		const struct python_objects *python);
void codes_deinit(struct codes *codes);

/* The same addresses are other places now. */
void codes_forget(struct codes *codes);

/* NONE: there are too many. */
uint32_t code_at(struct codes *codes, uint64_t pc);

/* For ompdx_classify; valid until another place is met. */
ompdx_frame_t code_frame(const struct codes *codes, uint32_t number);

static inline const struct code *code_of(const struct codes *codes, uint32_t number)
{
	return &codes->codes[number];
}

bool code_is_runtime(const struct code *code);
bool code_is_program(
	const struct code
		*code); /* or of a library that is not known to be none of the program's */
bool code_has_role(const struct code *code, uint32_t role);
bool code_is_entry(const struct code *code);

#endif /* SAMPLER_CODE_H */
