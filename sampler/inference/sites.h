/* SPDX-License-Identifier: Apache-2.0
 *
 * What the code tells of the places that call a runtime: read once for each.
 */
#ifndef SAMPLER_SITES_H
#define SAMPLER_SITES_H

#include "base/intern.h"
#include "inference/call_site.h"
#include "inference/code.h"

struct sites {
	struct codes *codes;
	struct memory *memory;
	struct interner places; /* of uint32_t: codes */
	struct site *sites;
	size_t capacity;
};

void sites_init(struct sites *sites, struct codes *codes, struct memory *memory);
void sites_deinit(struct sites *sites);

/* What the compiler recorded for the place's call, which the program made. Valid until another is asked for. */
const struct call_site *site_of(struct sites *sites, uint32_t code);

/* The lock, or the critical construct's variable, that the place's call always passes; 0: not known. */
uint64_t lock_of_site(struct sites *sites, uint32_t code);

/* The code that it always passes for the runtime to call; 0: not known; SEVERAL_JUMP: it may be any of several. called: what
 * the runtime seems to have called, which that may have jumped to; 0: not known. */
uint64_t code_of_site(struct sites *sites, uint32_t code, uint64_t called);

#endif /* SAMPLER_SITES_H */
