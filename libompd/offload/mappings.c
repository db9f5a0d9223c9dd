/* SPDX-License-Identifier: Apache-2.0 */
#include "offload/mappings.h"

#include "offload/mutex.h"
#include "offload/overlaps.h"
#include "offload/tree.h"

/* The device's block begins where the mapping does, or less than this before it: padding to an address that is as
 * aligned as on the host, to MaxAlignment of src/omptarget.cpp at most. */
#define PADDING_MAX 16
/* More references than any program holds. */
#define REFERENCES_MAX (UINT64_C(1) << 24)

/* The entry's own bytes: all that is read of it. */
static struct extent whole_mapping(const struct offload_record *record)
{
	struct extent extent = {0, 0};

	for (unsigned i = OFFLOAD_FIELD_MAPPING_BASE; i <= OFFLOAD_FIELD_MAPPING_SHARED_MUTEX;
	     i++) {
		const uint32_t end = (uint32_t)record->fields[i].offset + record->fields[i].size;

		if (end > extent.end)
			extent.end = end;
	}
	return extent;
}

/* Only the dynamic one can be infinite. Before 15 an entry that nobody counts on is taken out at once; since then it
 * stays until all is copied. */
static bool counts_possible(const struct offload_record *record, uint64_t dynamic, uint64_t hold)
{
	if (hold > REFERENCES_MAX || (dynamic > REFERENCES_MAX && dynamic != OMPDX_COUNT_INFINITE))
		return false;
	return dynamic || hold || record->fields[OFFLOAD_FIELD_KEY_MAPPING].size;
}

static bool is_mapped_to(const ompdx_mapping_t *mapping, target_addr address)
{
	return address >= mapping->device_begin &&
	       address - mapping->device_begin < mapping->host_end - mapping->host_begin;
}

/* The counts, and the mutex that goes with them: ok if they are there, incompatible if not. */
static ompd_rc_t read_counts(const struct offload_reading *reading, const struct bytes *bytes,
			     ompdx_mapping_t *mapping)
{
	const struct span *fields = reading->record->fields;
	const target_addr counts = bytes_get(bytes, fields[OFFLOAD_FIELD_MAPPING_COUNTS]);
	target_addr mutex_at = mapping->address + fields[OFFLOAD_FIELD_MAPPING_MUTEX].offset;
	uint64_t dynamic = 0, hold = 0;
	struct mutex mutex;
	ompd_rc_t rc = ompd_rc_ok;

	if (fields[OFFLOAD_FIELD_MAPPING_COUNT].size) {
		dynamic = bytes_get(bytes, fields[OFFLOAD_FIELD_MAPPING_COUNT]);
		mutex_at = target_decode(reading->target,
					 bytes->data +
						 fields[OFFLOAD_FIELD_MAPPING_SHARED_MUTEX].offset,
					 reading->target->sizes.sizeof_pointer);
	} else {
		/* What the runtime keeps itself is no memory of a device's. */
		if (counts % sizeof(uint64_t) || is_mapped_to(mapping, counts))
			return ompd_rc_incompatible;
		rc = reading_field(reading, counts, OFFLOAD_FIELD_COUNTS_DYNAMIC, &dynamic);
		if (rc == ompd_rc_ok)
			rc = reading_field(reading, counts, OFFLOAD_FIELD_COUNTS_HOLD, &hold);
		if (fields[OFFLOAD_FIELD_COUNTS_MUTEX].size)
			mutex_at = counts + fields[OFFLOAD_FIELD_COUNTS_MUTEX].offset;
	}
	if (rc == ompd_rc_ok)
		rc = mutex_open(&mutex, reading->target, mutex_at);
	if (rc == ompd_rc_ok && !counts_possible(reading->record, dynamic, hold))
		rc = ompd_rc_incompatible;
	if (rc == ompd_rc_ok) {
		mapping->dynamic_count = dynamic;
		mapping->hold_count = hold;
	}
	return rc;
}

/* Whether what stands in the entry can be a mapping. Releases that do not keep where the device's block begins, map
 * nothing that the device has at the host's own address. */
static bool plausible(const struct offload_reading *reading, const ompdx_mapping_t *mapping)
{
	if (mapping->host_begin > mapping->host_end || mapping->device_begin == 0)
		return false;
	if (reading->record->fields[OFFLOAD_FIELD_MAPPING_ALLOCATION].size == 0)
		return mapping->device_begin != mapping->host_begin;
	return mapping->device_allocation <= mapping->device_begin &&
	       mapping->device_begin - mapping->device_allocation < PADDING_MAX;
}

/* A name, if there is one. What is unreadable says nothing against it. */
static bool source_possible(const struct offload_reading *reading, size_t source)
{
	return source == 0 || *(const unsigned char *)vector_at(&reading->text, source - 1) > ' ';
}

/* ok: it looks like a mapping. incompatible: it does not, and *mapping is what it would be. */
static ompd_rc_t read_mapping(struct offload_reading *reading, target_addr address,
			      struct offload_mapping *mapping)
{
	const struct span *fields = reading->record->fields;
	const struct extent extent = whole_mapping(reading->record);
	ompdx_mapping_t *shown = &mapping->shown;
	struct bytes bytes;
	ompd_rc_t rc;

	shown->address = address;
	if (address % sizeof(uint64_t))
		return ompd_rc_incompatible;
	rc = bytes_read(&bytes, reading->target, &extent, address);
	if (rc != ompd_rc_ok)
		return rc;
	shown->host_base = bytes_get(&bytes, fields[OFFLOAD_FIELD_MAPPING_BASE]);
	shown->host_begin = bytes_get(&bytes, fields[OFFLOAD_FIELD_MAPPING_BEGIN]);
	shown->host_end = bytes_get(&bytes, fields[OFFLOAD_FIELD_MAPPING_END]);
	shown->device_begin = bytes_get(&bytes, fields[OFFLOAD_FIELD_MAPPING_DEVICE_BEGIN]);
	shown->device_allocation = bytes_get(&bytes, fields[OFFLOAD_FIELD_MAPPING_ALLOCATION]);
	shown->source_address = bytes_get(&bytes, fields[OFFLOAD_FIELD_MAPPING_NAME]);
	if (!plausible(reading, shown))
		return ompd_rc_incompatible;
	rc = read_counts(reading, &bytes, shown);
	if (rc == ompd_rc_ok)
		rc = reading_text(reading, shown->source_address, &mapping->source);
	if (rc == ompd_rc_ok && !source_possible(reading, mapping->source)) {
		mapping->source = 0;
		rc = ompd_rc_incompatible;
	}
	return rc;
}

/* Where a node's value leads: since 15 it is a key and a pointer. */
static ompd_rc_t find_mapping(const struct offload_reading *reading, target_addr value,
			      target_addr *mapping, uint64_t *key)
{
	ompd_rc_t rc;

	*mapping = value;
	if (reading->record->fields[OFFLOAD_FIELD_KEY_MAPPING].size == 0)
		return reading_field(reading, value, OFFLOAD_FIELD_MAPPING_BEGIN, key);
	rc = reading_field(reading, value, OFFLOAD_FIELD_KEY_BEGIN, key);
	return rc == ompd_rc_ok ? reading_field(reading, value, OFFLOAD_FIELD_KEY_MAPPING, mapping)
				: rc;
}

/* The tree is ordered by where mappings begin, and no two of them begin at the same place. */
static ompd_rc_t add_mapping(struct offload_reading *reading, uint32_t device, target_addr value,
			     uint64_t *last)
{
	struct offload_mapping mapping = {{.size = sizeof(mapping.shown), .device = device}, 0};
	const bool first = *last == UINT64_MAX;
	target_addr address = 0;
	uint64_t key = 0;
	void *room;
	ompd_rc_t rc = find_mapping(reading, value, &address, &key);

	if (rc == ompd_rc_ok)
		rc = read_mapping(reading, address, &mapping);
	if (reading_ends(rc))
		return rc;
	if (rc == ompd_rc_ok && (key != mapping.shown.host_begin || (!first && key <= *last)))
		rc = ompd_rc_incompatible;
	*last = key;
	reading->looked_at++;
	reading->held += rc == ompd_rc_ok && mapping.shown.hold_count;
	if (rc != ompd_rc_ok)
		reading_spoil(reading, &mapping,
			      rc == ompd_rc_error ? ompdx_problem_unreadable
						  : ompdx_problem_inconsistent);
	rc = vector_add(&reading->mappings, 1, OFFLOAD_MAPPINGS_MAX, &room);
	if (rc == ompd_rc_ok)
		*(struct offload_mapping *)room = mapping;
	return rc;
}

static ompd_rc_t read_table(struct offload_reading *reading, uint32_t index)
{
	ompdx_device_t *device = vector_at(&reading->devices, index);
	uint64_t last = UINT64_MAX;
	struct tree_walk walk;
	struct tree tree;
	target_addr value;
	ompd_rc_t rc = tree_open(
		&tree, reading->target,
		device->address + reading->record->fields[OFFLOAD_FIELD_DEVICE_MAPPINGS].offset);

	device->mapping_first = (uint32_t)reading->mappings.count;
	if (rc == ompd_rc_ok)
		tree_first(&walk, reading->target, &tree);
	while (rc == ompd_rc_ok) {
		if (reading->mappings.count == OFFLOAD_MAPPINGS_MAX) {
			device->problem = ompdx_problem_limit;
			break;
		}
		rc = tree_next(&walk, &value);
		if (rc == ompd_rc_ok)
			rc = add_mapping(reading, index, value, &last);
	}
	device->mapping_count = (uint32_t)reading->mappings.count - device->mapping_first;
	if (reading_ends(rc))
		return rc;
	if (rc == ompd_rc_error)
		device->problem = ompdx_problem_unreadable;
	else if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		device->problem = ompdx_problem_inconsistent;
	return overlaps_mark(reading, device->mapping_first);
}

ompd_rc_t mappings_read(struct offload_reading *reading)
{
	ompd_rc_t rc = ompd_rc_ok;

	for (size_t i = 0; rc == ompd_rc_ok && i < reading->devices.count; i++)
		rc = read_table(reading, (uint32_t)i);
	return rc;
}
