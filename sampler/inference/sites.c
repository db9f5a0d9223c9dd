/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/sites.h"

#include <stdlib.h>

#include "base/grow.h"
#include "inference/call_argument.h"
#include "inference/jumps.h"

struct site {
	struct call_site recorded;
	uint64_t lock, code, jumper;
	bool has_lock, has_code; /* that is known or not, but has been looked for */
	uint64_t called;         /* and of which function who jumps to it; 0: of none */
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
	sites->sites = grow_array(sites->sites, number, &sites->capacity, sizeof *sites->sites);
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

static uint64_t passed(const struct sites *sites, const struct code *call, int32_t argument)
{
	uint64_t value;

	if (!call->image || argument < 0 ||
	    !call_argument(sites->memory, call->image, call->pc + 1, argument, &value))
		return 0;
	return value;
}

uint64_t lock_of_site(struct sites *sites, uint32_t code)
{
	const struct code *call = code_of(sites->codes, code);
	struct site *site = at(sites, code);

	if (!site)
		return 0;
	if (!site->has_lock && call->is_called)
		site->lock = passed(sites, call, call->called.object_argument);
	site->has_lock = !call->call_unresolved;
	return site->lock;
}

uint64_t code_of_site(struct sites *sites, uint32_t code, uint64_t called)
{
	const struct code *call = code_of(sites->codes, code);
	struct site *site = at(sites, code);
	const bool takes_code = call->is_called && call->called.code_argument >= 0;

	if (!site)
		return 0;
	if (!site->has_code && takes_code)
		site->code = passed(sites, call, call->called.code_argument);
	site->has_code = !call->call_unresolved;
	if (site->code || !called || !takes_code)
		return site->code;
	/* It is in a register since long before, when regions are begun in a loop. */
	if (site->called != called) {
		site->called = called;
		site->jumper = jumps_from(sites->codes, code, called);
	}
	return site->jumper;
}
