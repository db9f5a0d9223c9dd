/* SPDX-License-Identifier: Apache-2.0 */
#include "offload/libraries.h"

#include <elf.h>
#include <string.h>

#include "offload/list.h"
#include "offload/tree.h"

/* Flags of entries (OpenMPOffloadingDeclareTargetFlags): functions that run when code is loaded, pointers to
 * functions, and what the program requires. None of them is a variable. */
enum { FLAG_CONSTRUCTOR = 2, FLAG_DESTRUCTOR = 4, FLAG_INDIRECT = 8, FLAG_REQUIRES = 16 };
/* Since 21: a version and a kind (llvm::object::OffloadKind). */
enum { ENTRY_VERSION = 1, ENTRY_OF_OPENMP = 1 };

static ompdx_device_kind_t kind_of(const struct offload_reading *reading, uint32_t machine)
{
	if (machine == reading->machine)
		return ompdx_device_host;
	if (machine == EM_CUDA)
		return ompdx_device_cuda;
	return machine == EM_AMDGPU ? ompdx_device_hsa : ompdx_device_other;
}

/* What the header of the image says that was chosen for a device. One that cannot be read tells nothing. */
static ompd_rc_t read_image(const struct offload_reading *reading, target_addr image,
			    ompdx_device_t *device)
{
	uint8_t header[sizeof(Elf64_Ehdr)];
	uint64_t start;
	uint32_t machine;
	ompd_rc_t rc = reading_field(reading, image, OFFLOAD_FIELD_IMAGE_START, &start);

	if (rc == ompd_rc_ok)
		rc = target_read(reading->target, start, sizeof(header), header);
	if (rc != ompd_rc_ok || memcmp(header, ELFMAG, SELFMAG) != 0 ||
	    header[EI_CLASS] != ELFCLASS64)
		return reading_ends(rc) ? rc : ompd_rc_ok;
	machine = (uint32_t)target_decode(reading->target, header + offsetof(Elf64_Ehdr, e_machine),
					  2);
	if (machine == EM_NONE)
		return ompd_rc_ok;
	device->machine = machine;
	device->machine_flags =
		(uint32_t)target_decode(reading->target, header + offsetof(Elf64_Ehdr, e_flags), 4);
	device->kind = kind_of(reading, machine);
	return ompd_rc_ok;
}

/* What of this library is for the devices. */
static ompd_rc_t read_devices(struct offload_reading *reading, target_addr library)
{
	const struct offload_list_place *places = reading->record->lists;
	struct list images, loaded;
	ompd_rc_t rc = list_open(&images, reading->target, &places[OFFLOAD_LIST_LIBRARY_IMAGES],
				 library, OFFLOAD_DEVICES_MAX);

	if (rc == ompd_rc_ok)
		rc = list_open(&loaded, reading->target, &places[OFFLOAD_LIST_LIBRARY_LOADED],
			       library, OFFLOAD_DEVICES_MAX);
	for (size_t i = 0; rc == ompd_rc_ok && i < reading->devices.count; i++) {
		ompdx_device_t *device = vector_at(&reading->devices, i);
		target_addr image, table;

		rc = list_pointer(&images, reading->target, i, &image);
		if (rc == ompd_rc_ok)
			rc = list_pointer(&loaded, reading->target, i, &table);
		if (rc != ompd_rc_ok)
			break;
		device->used = device->used == 1 || table != 0;
		if (image && !device->machine)
			rc = read_image(reading, image, device);
	}
	return rc;
}

static ompdx_offload_entry_kind_t entry_kind(uint64_t flags, uint64_t bytes)
{
	if (flags & (FLAG_CONSTRUCTOR | FLAG_DESTRUCTOR | FLAG_INDIRECT | FLAG_REQUIRES))
		return ompdx_offload_entry_other;
	return bytes ? ompdx_offload_entry_variable : ompdx_offload_entry_kernel;
}

/* What tells an entry of 21 from anything else. */
static bool describes_itself(const struct offload_record *record, const struct bytes *bytes)
{
	const struct span *fields = record->fields;

	return fields[OFFLOAD_FIELD_ENTRY_VERSION].size == 0 ||
	       (bytes_get(bytes, fields[OFFLOAD_FIELD_ENTRY_RESERVED]) == 0 &&
		bytes_get(bytes, fields[OFFLOAD_FIELD_ENTRY_VERSION]) == ENTRY_VERSION);
}

static ompd_rc_t add_entry(struct offload_reading *reading, const struct bytes *bytes,
			   target_addr library)
{
	const struct span *fields = reading->record->fields;
	struct offload_entry *entry;
	void *room;
	ompd_rc_t rc;

	if (reading->entries.count == OFFLOAD_ENTRIES_MAX) {
		reading->problem = ompdx_problem_limit;
		return ompd_rc_ok;
	}
	rc = vector_add(&reading->entries, 1, OFFLOAD_ENTRIES_MAX, &room);
	if (rc != ompd_rc_ok)
		return rc;
	entry = room;
	entry->shown.size = sizeof(entry->shown);
	entry->shown.address = bytes_get(bytes, fields[OFFLOAD_FIELD_ENTRY_ADDRESS]);
	entry->shown.bytes = bytes_get(bytes, fields[OFFLOAD_FIELD_ENTRY_BYTES]);
	entry->shown.flags = (uint32_t)bytes_get(bytes, fields[OFFLOAD_FIELD_ENTRY_FLAGS]);
	entry->shown.name_address = bytes_get(bytes, fields[OFFLOAD_FIELD_ENTRY_NAME]);
	entry->shown.library = library;
	entry->shown.kind = entry_kind(entry->shown.flags, entry->shown.bytes);
	if (fields[OFFLOAD_FIELD_ENTRY_KIND].size &&
	    bytes_get(bytes, fields[OFFLOAD_FIELD_ENTRY_KIND]) != ENTRY_OF_OPENMP)
		entry->shown.kind = ompdx_offload_entry_other;
	return reading_text(reading, entry->shown.name_address, &entry->name);
}

static ompd_rc_t read_entries(struct offload_reading *reading, target_addr begin, target_addr end)
{
	const uint16_t step = reading->record->fields[OFFLOAD_FIELD_ENTRY].size;
	const struct extent whole = {0, step};

	if (begin > end || (end - begin) % step) {
		reading->entry_misfits++;
		return ompd_rc_incompatible;
	}
	for (target_addr at = begin; at < end && reading->problem != ompdx_problem_limit;
	     at += step) {
		struct bytes bytes;
		ompd_rc_t rc = bytes_read(&bytes, reading->target, &whole, at);

		if (rc != ompd_rc_ok)
			return rc;
		if (!describes_itself(reading->record, &bytes)) {
			reading->entry_misfits++;
			return ompd_rc_incompatible;
		}
		rc = add_entry(reading, &bytes, begin);
		if (rc != ompd_rc_ok)
			return rc;
	}
	return ompd_rc_ok;
}

/* A node's value: the first entry's address, and the library's table behind it. */
static ompd_rc_t read_library(struct offload_reading *reading, target_addr value)
{
	const target_addr library = value + reading->target->sizes.sizeof_pointer;
	target_addr key;
	uint64_t begin = 0, end = 0;
	ompd_rc_t rc = target_read_pointer(reading->target, value, &key);

	if (rc == ompd_rc_ok)
		rc = reading_field(reading, library, OFFLOAD_FIELD_LIBRARY_BEGIN, &begin);
	if (rc == ompd_rc_ok)
		rc = reading_field(reading, library, OFFLOAD_FIELD_LIBRARY_END, &end);
	if (rc == ompd_rc_ok && key != begin)
		rc = ompd_rc_incompatible;
	if (rc == ompd_rc_ok)
		rc = read_devices(reading, library);
	if (rc == ompd_rc_ok)
		rc = read_entries(reading, begin, end);
	return rc;
}

static void note(struct offload_reading *reading, ompd_rc_t rc)
{
	if (reading->problem == ompdx_problem_none)
		reading->problem =
			rc == ompd_rc_error ? ompdx_problem_unreadable : ompdx_problem_inconsistent;
}

ompd_rc_t libraries_read(struct offload_reading *reading)
{
	struct tree_walk walk;
	struct tree tree;
	target_addr value;
	ompd_rc_t rc = tree_open(
		&tree, reading->target,
		reading->manager + reading->record->fields[OFFLOAD_FIELD_MANAGER_LIBRARIES].offset);

	if (rc == ompd_rc_ok)
		tree_first(&walk, reading->target, &tree);
	for (uint64_t i = 0; rc == ompd_rc_ok; i++) {
		if (i == OFFLOAD_LIBRARIES_MAX) {
			reading->problem = ompdx_problem_limit;
			return ompd_rc_ok;
		}
		rc = tree_next(&walk, &value);
		if (rc == ompd_rc_unavailable)
			return ompd_rc_ok;
		if (rc != ompd_rc_ok)
			break;
		rc = read_library(reading, value);
		/* One that cannot be read hides no other. */
		if (rc == ompd_rc_error || rc == ompd_rc_incompatible) {
			note(reading, rc);
			rc = ompd_rc_ok;
		}
	}
	if (reading_ends(rc))
		return rc;
	note(reading, rc);
	return ompd_rc_ok;
}
