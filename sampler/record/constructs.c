/* SPDX-License-Identifier: Apache-2.0 */
#include "record/constructs.h"

#include <stdlib.h>

#include "inference/critical_code.h"
#include "names/names.h"
#include "record/regions.h"
#include "record/words.h"

/* The lock that the call passes, or the critical construct's variable, and the construct's name. */
static void put_lock(struct tables *tables, uint32_t call)
{
	const uint64_t address = lock_of_site(&tables->tellings->sites, call);

	if (!address)
		return;
	char *name = name_critical(code_of(tables->codes, call)->image, address);

	put_text(tables->writer, "name", name);
	put_address(tables->writer, "address", address);
	free(name);
}

/* The code that is executed by who has it. */
static void put_inside(struct tables *tables, uint32_t call)
{
	const struct code_place from = code_place_of(code_of(tables->codes, call));
	const uint64_t end = critical_code_end(tables->codes, call);

	if (!end)
		return;
	put_address(tables->writer, "inside_from", from.offset + 1);
	put_address(tables->writer, "inside_to",
		    from.offset + (end - code_of(tables->codes, call)->pc));
}

uint32_t table_construct(struct tables *tables, const struct stack_told *told, uint32_t region)
{
	const char *kind = word_of_construct(told->wait, told->construct);
	struct construct key = {.wait = told->wait, .kind = told->construct, .region = NONE};
	const bool of_region = told->wait == ompdx_wait_region;
	const char *recorded = NULL;

	if (!kind || (of_region ? region == NONE : told->caller == NONE))
		return NONE;
	if (of_region) {
		key.region = region;
		key.place = *(const struct code_place *)interned(&tables->regions, region);
		recorded = tables->region_more[region].source;
	} else {
		key.place = code_place_of(code_of(tables->codes, told->caller));
		recorded = site_of(&tables->tellings->sites, told->caller)->source;
	}
	bool is_new;
	uint32_t construct = table_number(tables, &tables->constructs, &key, &is_new);

	if (!is_new)
		return construct;
	const uint32_t code = of_region ? code_of_region(tables, region) : told->caller;

	if (code == NONE)
		return NONE;
	table_image(tables, code_of(tables->codes, code)->image);
	line_begin(tables->writer);
	put_number(tables->writer, "construct", construct);
	put_text(tables->writer, "kind", kind);
	put_code(tables->writer, code_of(tables->codes, code), recorded);
	put_place(tables->writer, &key.place);
	if (of_region)
		put_number(tables->writer, "region", region);
	else
		put_lock(tables, code);
	if (told->wait == ompdx_wait_critical)
		put_inside(tables, code);
	line_end(tables->writer);
	return construct;
}
