/* SPDX-License-Identifier: Apache-2.0 */
#include "record/regions.h"

#include "base/grow.h"

static void tell_region(struct tables *tables, uint32_t region, uint32_t code)
{
	struct region *more = &tables->region_more[region];

	table_image(tables, code_of(tables->codes, code)->image);
	line_begin(tables->writer);
	put_number(tables->writer, "region", region);
	put_code(tables->writer, code_of(tables->codes, code), more->source);
	put_place(tables->writer, interned(&tables->regions, region));
	put_text(tables->writer, "generator", more->league ? "teams" : "parallel");
	line_end(tables->writer);
	more->told = true;
}

uint32_t table_region(struct tables *tables, uint64_t function)
{
	if (!function)
		return NONE;
	uint32_t code = code_at(tables->codes, function);

	if (code == NONE)
		return NONE;
	struct code_place place = code_place_of(code_of(tables->codes, code));
	bool is_new;
	uint32_t region = table_number(tables, &tables->regions, &place, &is_new);

	if (region == NONE)
		return NONE;
	if (is_new) {
		tables->region_more =
			grow_array(tables->region_more, region, &tables->region_capacity,
				   sizeof *tables->region_more);
		tables->region_more[region] = (struct region){.forker = NONE};
	}
	if (!tables->region_more[region].told)
		tell_region(tables, region, code);
	return region;
}

uint32_t region_around(const struct tables *tables, const struct code *code)
{
	if (!code->function || !code->image)
		return NONE;
	const struct code_place place = place_of_function(code);

	for (uint32_t i = 0; i < tables->regions.count; i++) {
		const struct code_place *region = interned(&tables->regions, i);

		if (region->image == place.image && region->offset == place.offset)
			return i;
	}
	return NONE;
}

uint32_t code_of_region(struct tables *tables, uint32_t region)
{
	const struct code_place *place = interned(&tables->regions, region);
	const struct image *image =
		place->image == NONE ? NULL : tables->codes->images->all[place->image];

	return code_at(tables->codes, place->offset + (image ? image->bias : 0));
}

void learn_region(struct tables *tables, uint32_t region, uint32_t forker, bool league,
		  const char *source)
{
	if (region == NONE)
		return;
	struct region *more = &tables->region_more[region];

	if (forker != NONE)
		more->forker = forker;
	if (league && !more->league) {
		more->league = true;
		more->told = false;
	}
	if (more->source || !source || !source[0])
		return;
	more->source = copy_text(source);
	more->told = false;
}

/* The place where regions are begun, as a number; NONE: there are too many. */
static uint32_t place_of_fork(struct tables *tables, uint32_t code)
{
	while (code >= tables->fork_code_capacity)
		tables->fork_codes =
			grow_array(tables->fork_codes, tables->fork_code_capacity,
				   &tables->fork_code_capacity, sizeof *tables->fork_codes);
	if (tables->fork_codes[code])
		return tables->fork_codes[code] - 1;
	struct code_place place = code_place_of(code_of(tables->codes, code));
	bool is_new;
	uint32_t at = table_number(tables, &tables->fork_places, &place, &is_new);

	if (at == NONE)
		return NONE;
	tables->fork_regions = grow_array(tables->fork_regions, at, &tables->fork_capacity,
					  sizeof *tables->fork_regions);
	if (is_new)
		tables->fork_regions[at] = NONE;
	tables->fork_codes[code] = at + 1;
	return at;
}

void learn_fork(struct tables *tables, uint32_t code, uint32_t region)
{
	const uint32_t at = place_of_fork(tables, code);

	if (at != NONE)
		tables->fork_regions[at] = region;
}

uint32_t region_of_fork(struct tables *tables, uint32_t code)
{
	const uint32_t at = code == NONE ? NONE : place_of_fork(tables, code);

	return at == NONE ? NONE : tables->fork_regions[at];
}
