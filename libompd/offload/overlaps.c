/* SPDX-License-Identifier: Apache-2.0 */
#include "offload/overlaps.h"

#include "target/limits.h"

/* What of the device a mapping has. */
struct part {
	uint64_t begin, end;
	size_t mapping; /* its place in the list */
};

static struct offload_mapping *mapping_of(const struct offload_reading *reading,
					  const struct part *part)
{
	return vector_at(&reading->mappings, part->mapping);
}

static void swap(struct part *one, struct part *other)
{
	const struct part part = *one;

	*one = *other;
	*other = part;
}

static void sift_down(struct part *parts, size_t root, size_t count)
{
	size_t child;

	while ((child = 2 * root + 1) < count) {
		if (child + 1 < count && parts[child].begin < parts[child + 1].begin)
			child++;
		if (parts[root].begin >= parts[child].begin)
			return;
		swap(&parts[root], &parts[child]);
		root = child;
	}
}

/* In place: the C library's qsort may allocate. */
static void sort(struct part *parts, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		sift_down(parts, i, count);
	for (size_t end = count; end-- > 1;) {
		swap(&parts[0], &parts[end]);
		sift_down(parts, 0, end);
	}
}

static ompd_rc_t collect(const struct offload_reading *reading, size_t first, struct vector *ret)
{
	for (size_t i = first; i < reading->mappings.count; i++) {
		const struct offload_mapping *mapping = vector_at(&reading->mappings, i);
		const ompdx_mapping_t *shown = &mapping->shown;
		void *room;
		ompd_rc_t rc;

		if (shown->problem != ompdx_problem_none)
			continue;
		rc = vector_add(ret, 1, OFFLOAD_MAPPINGS_MAX, &room);
		if (rc != ompd_rc_ok)
			return rc;
		*(struct part *)room = (struct part){
			shown->device_begin,
			shown->device_begin + (shown->host_end - shown->host_begin), i};
	}
	return ompd_rc_ok;
}

static bool associated(const struct offload_mapping *mapping)
{
	return mapping->shown.dynamic_count == OMPDX_COUNT_INFINITE;
}

ompd_rc_t overlaps_mark(struct offload_reading *reading, size_t first)
{
	struct vector parts = {.item_size = sizeof(struct part)};
	const ompd_rc_t rc = collect(reading, first, &parts);
	struct part *part = parts.items;
	struct offload_mapping *widest = NULL; /* that reaches furthest so far */
	uint64_t reached = 0;

	if (rc == ompd_rc_ok)
		sort(part, parts.count);
	for (size_t i = 0; rc == ompd_rc_ok && i < parts.count; i++) {
		struct offload_mapping *mapping = mapping_of(reading, &part[i]);

		if (widest && part[i].begin < reached &&
		    !(associated(widest) && associated(mapping))) {
			reading_spoil(reading, widest, ompdx_problem_inconsistent);
			reading_spoil(reading, mapping, ompdx_problem_inconsistent);
		}
		if (!widest || part[i].end > reached) {
			widest = mapping;
			reached = part[i].end;
		}
	}
	vector_deinit(&parts);
	return rc;
}
