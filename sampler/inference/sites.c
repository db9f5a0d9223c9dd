/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/sites.h"

#include <stdlib.h>

#include "base/grow.h"
#include "inference/call_argument.h"

struct site {
	struct call_site recorded;
	uint64_t lock;
	bool has_lock; /* that is known or not, but has been looked for */
};

void sites_init(struct sites *sites, struct codes *codes, struct memory *memory)
{
	*sites = (struct sites){.codes = codes, .memory = memory};
	interner_init(&sites->places, sizeof(uint32_t));
}

void sites_deinit(struct sites *sites)
{
	interner_deinit(&sites->places);
	free(sites->sites);
}

/* NULL: there are too many. */
static struct site *at(struct sites *sites, uint32_t code)
{
	bool is_new;
	const uint32_t number = intern(&sites->places, &code, &is_new);

	if (number == NONE)
		return NULL;
	sites->sites = grow(sites->sites, number, &sites->capacity, sizeof *sites->sites);
	if (is_new) {
		sites->sites[number] = (struct site){.lock = 0};
		call_site_read(sites->memory, code_of(sites->codes, code)->pc + 1,
			       &sites->sites[number].recorded);
	}
	return &sites->sites[number];
}

const struct call_site *site_of(struct sites *sites, uint32_t code)
{
	static const struct call_site nothing = {.flags = -1};
	const struct site *site = at(sites, code);

	return site ? &site->recorded : &nothing;
}

uint64_t lock_of_site(struct sites *sites, uint32_t code)
{
	const struct code *call = code_of(sites->codes, code);
	struct site *site = at(sites, code);

	if (!site || site->has_lock)
		return site ? site->lock : 0;
	site->has_lock = !call->call_unresolved;
	if (!call->is_called || !call->image ||
	    !call_argument(sites->memory, call->image, call->pc + 1, call->called.object_argument,
			   &site->lock))
		site->lock = 0;
	return site->lock;
}
