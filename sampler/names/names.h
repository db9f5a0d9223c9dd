/* SPDX-License-Identifier: Apache-2.0
 *
 * What an address is called: its function, its line. By elfutils, and never while a sample is unwound.
 */
#ifndef SAMPLER_NAMES_H
#define SAMPLER_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "target/images.h"

struct function_name {
	const char *symbol; /* as in the symbol table; NULL: none */
	uint64_t start;     /* where it begins; 0: not known */
};

struct line_name {
	const char *file; /* NULL: not known */
	int line;
};

/* Texts are the image's, and live until names_close and names_release. */
struct function_name name_function(struct image *image, uint64_t address);
struct line_name name_line(struct image *image, uint64_t address);

/* The address of a symbol that the image defines; 0: it defines none of that name. */
uint64_t name_address(struct image *image, const char *symbol);

/* What the program calls the critical construct whose variable is there; NULL: nothing. The caller frees it. */
char *name_critical(struct image *image, uint64_t address);

/* What has been read is given back, and is read again when it is wanted. */
void names_close(struct image *image);
void names_release(struct image *image);

/* As people write it; the caller frees it. The symbol itself where it is no C++ name, or C++'s library is not there. */
char *demangled(const char *symbol);

#endif /* SAMPLER_NAMES_H */
