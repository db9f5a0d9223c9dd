/* SPDX-License-Identifier: Apache-2.0
 *
 * What clang recorded of the construct for which its code calls the runtime: an ident_t, whose address the code before
 * the call loads as the first argument. It is constant, so it may be read at any time.
 */
#ifndef SAMPLER_CALL_SITE_H
#define SAMPLER_CALL_SITE_H

#include <stdint.h>

#include "target/memory.h"

#define SOURCE_BYTES 512

struct call_site {
	int32_t flags;             /* ident_t's; -1: not found */
	char source[SOURCE_BYTES]; /* ";file;function;line;column;;"; "": nothing */
};

/* returns: the address to which the call returns. */
void call_site_read(struct memory *memory, uint64_t returns, struct call_site *site);

#endif /* SAMPLER_CALL_SITE_H */
