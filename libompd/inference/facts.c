/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/facts.h"

#include <string.h>

#include "ompd.h"

static void element(void *ret, size_t size, const void *array, uint32_t element_size, uint32_t at)
{
	memset(ret, 0, size);
	memcpy(ret, (const char *)array + (size_t)at * element_size,
	       element_size < size ? element_size : size);
}

/* false: there is none, or the tool's index is none. */
static bool level_at(const ompdx_facts_t *facts, uint32_t at, ompdx_view_region_t *region,
		     int32_t *thread_num)
{
	ompdx_view_level_t level;

	if (at >= facts->level_count)
		return false;
	element(&level, sizeof(level), facts->levels, facts->level_size, at);
	if (level.region >= facts->region_count)
		return false;
	element(region, sizeof(*region), facts->regions, facts->region_size, level.region);
	*thread_num = level.thread_num;
	return true;
}

void facts_read(const ompdx_facts_t *facts, struct known *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->facts = facts;
	if (!facts)
		return;
	ret->thread = facts->known & OMPDX_FACT_THREAD;
	ret->regions = facts->known & OMPDX_FACT_REGIONS;
	if (!ret->regions)
		return;
	ret->in_region = level_at(facts, 0, &ret->region, &ret->thread_num);
	ret->regions = ret->in_region || !facts->level_count;
}

struct own_regions facts_own_regions(const struct known *known, bool directly)
{
	struct own_regions found = {.all_called = true};
	ompdx_view_region_t region;
	int32_t thread_num;

	for (uint32_t at = 0; level_at(known->facts, at, &region, &thread_num); at++) {
		if (region.generator == ompd_generator_program)
			break;
		found.begun += thread_num == 0;
		found.of_function += region.function == known->region.function;
		if ((region.generator != ompd_generator_parallel &&
		     region.generator != ompd_generator_teams) ||
		    (!directly && region.serialized > 0))
			found.all_called = false;
		if (thread_num != 0 || region.team_num > 0)
			break;
	}
	return found;
}

int facts_at_end(const struct known *known)
{
	const ompdx_team_arrivals_t *arrivals = known->facts->arrivals;

	if (!arrivals || arrivals->arrived < 0 || arrivals->arrived_at_end < 0 ||
	    (int64_t)arrivals->awaits != (int64_t)known->region.member_count)
		return -1;
	if ((arrivals->arrived == 0) == (arrivals->arrived_at_end == 0))
		return -1;
	return arrivals->arrived == 0;
}

void facts_of_view(const ompdx_view_t *view, uint32_t thread, ompdx_runtime_kind_t runtime_kind,
		   ompdx_facts_t *ret)
{
	const ompdx_view_thread_t *threads = view->threads;
	const ompdx_view_thread_t *one =
		(const void *)((const char *)threads + thread * threads->size);
	const bool is_known = one->problem == ompdx_problem_none;

	memset(ret, 0, sizeof(*ret));
	ret->size = sizeof(*ret);
	ret->known = is_known ? OMPDX_FACT_THREAD | OMPDX_FACT_REGIONS : 0;
	ret->runtime_kind = runtime_kind;
	ret->thread_kind = one->kind;
	ret->has_team = one->has_team;
	ret->ident_flags = one->ident_flags;
	ret->ident_source = one->ident_source;
	ret->levels = (const void *)((const char *)view->levels +
				     (size_t)one->level_first * view->level_size);
	ret->level_count = one->level_count;
	ret->level_size = view->level_size;
	ret->regions = view->regions;
	ret->region_count = view->region_count;
	ret->region_size = view->region_count ? (uint32_t)view->regions->size : 0;
}
