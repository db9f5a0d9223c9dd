/* SPDX-License-Identifier: Apache-2.0 */
#include "offload/devices.h"

#include "offload/list.h"
#include "offload/mutex.h"
#include "offload/tree.h"

/* A member that has to be there, read into a number. */
static ompd_rc_t number(const struct offload_reading *reading, target_addr address,
			enum offload_field field, int32_t *ret)
{
	uint64_t value;
	const ompd_rc_t rc = reading_field(reading, address, field, &value);

	if (rc == ompd_rc_ok)
		*ret = (int32_t)value;
	return rc;
}

/* Before 18 a device does not tell where it is itself. */
static ompd_rc_t leads_back(const struct offload_reading *reading, target_addr address)
{
	uint64_t itself = 0;
	ompd_rc_t rc;

	if (reading->record->fields[OFFLOAD_FIELD_DEVICE_ITSELF].size == 0)
		return ompd_rc_ok;
	rc = reading_field(reading, address, OFFLOAD_FIELD_DEVICE_ITSELF, &itself);
	return rc == ompd_rc_ok && itself != address ? ompd_rc_incompatible : rc;
}

/* Fills *device of the structure at `address', whose number has to be `expected'. */
static ompd_rc_t read_device(const struct offload_reading *reading, target_addr address,
			     int32_t expected, ompdx_device_t *device)
{
	const struct span *fields = reading->record->fields;
	struct mutex mutex;
	struct tree tree;
	uint64_t plugin = 0;
	ompd_rc_t rc = address % sizeof(uint64_t) ? ompd_rc_incompatible : ompd_rc_ok;

	device->size = sizeof(*device);
	device->address = address;
	device->used = -1;
	if (rc == ompd_rc_ok)
		rc = number(reading, address, OFFLOAD_FIELD_DEVICE_NUMBER, &device->number);
	if (rc == ompd_rc_ok)
		rc = number(reading, address, OFFLOAD_FIELD_DEVICE_PLUGIN_NUMBER,
			    &device->plugin_number);
	if (rc == ompd_rc_ok)
		rc = reading_field(reading, address, OFFLOAD_FIELD_DEVICE_PLUGIN, &plugin);
	if (rc == ompd_rc_ok && (device->number != expected || device->plugin_number < 0 ||
				 device->plugin_number > expected || plugin == 0))
		rc = ompd_rc_incompatible;
	if (rc == ompd_rc_ok)
		rc = tree_open(&tree, reading->target,
			       address + fields[OFFLOAD_FIELD_DEVICE_MAPPINGS].offset);
	if (rc == ompd_rc_ok)
		rc = mutex_open(&mutex, reading->target,
				address + fields[OFFLOAD_FIELD_DEVICE_MUTEX].offset);
	if (rc == ompd_rc_ok)
		rc = leads_back(reading, address);
	if (rc != ompd_rc_ok)
		return rc;
	device->plugin = plugin;
	device->mapped = tree.count;
	device->mutex = address + fields[OFFLOAD_FIELD_DEVICE_MUTEX].offset;
	device->locked = mutex.locked;
	device->owner = mutex.owner;
	return ompd_rc_ok;
}

ompd_rc_t devices_read(struct offload_reading *reading, target_addr manager)
{
	const struct offload_list_place *place =
		&reading->record->lists[OFFLOAD_LIST_MANAGER_DEVICES];
	const bool pointers = place->element == reading->target->sizes.sizeof_pointer;
	struct list list;
	ompd_rc_t rc = list_open(&list, reading->target, place, manager, OFFLOAD_DEVICES_MAX);

	for (uint64_t i = 0; rc == ompd_rc_ok && i < list.count; i++) {
		target_addr address = list.first + i * list.element;
		void *device;

		if (pointers)
			rc = list_pointer(&list, reading->target, i, &address);
		if (rc == ompd_rc_ok)
			rc = vector_add(&reading->devices, 1, OFFLOAD_DEVICES_MAX, &device);
		if (rc == ompd_rc_ok)
			rc = read_device(reading, address, (int32_t)i, device);
	}
	return rc == ompd_rc_error ? ompd_rc_incompatible : rc;
}
