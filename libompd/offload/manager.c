/* SPDX-License-Identifier: Apache-2.0 */
#include "offload/manager.h"

#include "offload/devices.h"
#include "offload/tree.h"
#include "target/memory_cache.h"

/* What operator new returns is aligned to two pointers. */
#define ALIGNMENT 16
/* Disabled, default, mandatory. */
#define OFFLOAD_POLICY_MAX 2

/* The object at `address' is the manager: ok, and its devices. incompatible: it is not. */
static ompd_rc_t prove(struct offload_reading *reading, target_addr address)
{
	static const enum offload_field trees[] = {OFFLOAD_FIELD_MANAGER_LIBRARIES,
						   OFFLOAD_FIELD_MANAGER_ENTRIES};
	const struct span policy = reading->record->fields[OFFLOAD_FIELD_MANAGER_POLICY];
	uint64_t value;
	struct tree tree;
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < COUNT(trees); i++)
		rc = tree_open(&tree, reading->target,
			       address + reading->record->fields[trees[i]].offset);
	if (rc != ompd_rc_ok)
		return rc;
	reading->policy = -1;
	if (policy.size) {
		rc = member_read(reading->target, address, policy, &value);
		if (rc == ompd_rc_ok && value > OFFLOAD_POLICY_MAX)
			rc = ompd_rc_incompatible;
		if (rc == ompd_rc_ok)
			reading->policy = (int32_t)value;
	}
	if (rc == ompd_rc_ok)
		rc = devices_read(reading, address);
	return rc == ompd_rc_error ? ompd_rc_incompatible : rc;
}

struct manager_search {
	struct offload_reading *reading;
	const struct image *image;
	unsigned candidates;
	enum manager_found found;
};

static ompd_rc_t look_at(struct manager_search *search, target_addr address)
{
	struct offload_reading *reading = search->reading;
	struct offload_reading other;
	ompd_rc_t rc;

	if (address < MEMORY_BLOCK_BYTES || address % ALIGNMENT || address == reading->manager ||
	    image_contains(search->image, address))
		return ompd_rc_ok;
	if (++search->candidates > RECOVERY_CANDIDATES_MAX)
		return ompd_rc_ok;
	reading_init(&other, reading->target, reading->record, reading->machine);
	rc = prove(&other, address);
	if (rc == ompd_rc_ok) {
		search->found = reading->manager ? MANAGER_SEVERAL : MANAGER_ONE;
		other.manager = address;
		reading_deinit(reading);
		*reading = other;
		return rc;
	}
	reading_deinit(&other);
	return rc == ompd_rc_incompatible ? ompd_rc_ok : rc;
}

/* In pieces that lie in one page each, since some may be missing. */
static ompd_rc_t look_through(struct manager_search *search, struct address_range range)
{
	const struct target *target = search->reading->target;
	const size_t width = target->sizes.sizeof_pointer;
	target_addr words[MEMORY_BLOCK_BYTES / sizeof(uint32_t)];
	target_addr at = (range.start + width - 1) / width * width;

	if (range.end - range.start > OFFLOAD_BYTES_MAX)
		range.end = range.start + OFFLOAD_BYTES_MAX;
	while (at + width <= range.end && search->found != MANAGER_SEVERAL) {
		const target_addr page_end = (at / MEMORY_BLOCK_BYTES + 1) * MEMORY_BLOCK_BYTES;
		const target_addr end = page_end < range.end ? page_end : range.end;
		const size_t count = (size_t)(end - at) / width;
		ompd_rc_t rc = target_read_pointers(target, at, count, words);

		if (reading_ends(rc))
			return rc;
		for (size_t i = 0; rc == ompd_rc_ok && i < count; i++) {
			rc = look_at(search, words[i]);
			if (reading_ends(rc))
				return rc;
		}
		at = end;
	}
	return ompd_rc_ok;
}

ompd_rc_t manager_find(struct offload_reading *reading, const struct image *image,
		       enum manager_found *ret)
{
	struct manager_search search = {reading, image, 0, MANAGER_NONE};

	for (unsigned i = 0; i < image->writable_count; i++) {
		const ompd_rc_t rc = look_through(&search, image->writable[i]);

		if (rc != ompd_rc_ok)
			return rc;
	}
	*ret = search.found;
	return ompd_rc_ok;
}
