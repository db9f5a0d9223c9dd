/* SPDX-License-Identifier: Apache-2.0
 *
 * What the library's own extension tells of devices, as JSON.
 */
#include "dump.h"

#include <ompd-ext.h>
#include <time.h>

#include "callbacks.h"

typedef ompd_rc_t get_offload_t(ompd_address_space_handle_t *, const ompdx_image_t *, ompd_size_t,
				ompdx_offload_t **);

static const char *layout_name(ompdx_layout_t layout)
{
	static const char *const names[] = {"refused", "likely", "proven"};

	return names[layout];
}

static void dump_mapping(struct json *json, const ompdx_mapping_t *mapping)
{
	json_begin_object(json, NULL);
	json_address(json, "address", mapping->address);
	json_address(json, "base", mapping->host_base);
	json_address(json, "begin", mapping->host_begin);
	json_address(json, "end", mapping->host_end);
	json_address(json, "device_begin", mapping->device_begin);
	json_address(json, "device_allocation", mapping->device_allocation);
	json_integer(json, "dynamic", (int64_t)mapping->dynamic_count);
	json_integer(json, "hold", (int64_t)mapping->hold_count);
	json_address(json, "source_address", mapping->source_address);
	json_string(json, "source", mapping->source);
	json_integer(json, "problem", mapping->problem);
	json_end_object(json);
}

static void dump_device(struct json *json, const ompdx_offload_t *offload, uint32_t index)
{
	const ompdx_device_t *device =
		(const void *)((const char *)offload->devices + index * offload->devices->size);

	json_begin_object(json, NULL);
	json_integer(json, "number", device->number);
	json_integer(json, "plugin_number", device->plugin_number);
	json_integer(json, "kind", device->kind);
	json_integer(json, "machine", device->machine);
	json_integer(json, "machine_flags", device->machine_flags);
	json_integer(json, "used", device->used);
	json_address(json, "address", device->address);
	json_address(json, "mutex", device->mutex);
	json_integer(json, "locked", device->locked);
	json_integer(json, "owner", (int64_t)device->owner);
	json_integer(json, "mapped", (int64_t)device->mapped);
	json_integer(json, "problem", device->problem);
	json_begin_array(json, "mappings");
	for (uint32_t i = 0; i < device->mapping_count; i++)
		dump_mapping(json,
			     (const void *)((const char *)offload->mappings +
					    (device->mapping_first + i) * offload->mappings->size));
	json_end_array(json);
	json_end_object(json);
}

static void dump_entry(struct json *json, const ompdx_offload_entry_t *entry)
{
	json_begin_object(json, NULL);
	json_address(json, "address", entry->address);
	json_integer(json, "kind", entry->kind);
	json_integer(json, "flags", entry->flags);
	json_integer(json, "bytes", (int64_t)entry->bytes);
	json_address(json, "library", entry->library);
	json_string(json, "name", entry->name);
	json_end_object(json);
}

static void dump_answer(struct json *json, const ompdx_offload_t *offload)
{
	json_string(json, "path", offload->path);
	json_integer(json, "version", offload->version);
	json_string(json, "version_text", offload->version_text);
	json_integer(json, "build_id_length", offload->build_id_length);
	json_string(json, "record", offload->record);
	json_string(json, "layout", layout_name(offload->layout));
	json_string(json, "mapping_layout", layout_name(offload->mapping_layout));
	json_string(json, "reason", offload->reason);
	json_address(json, "manager", offload->manager);
	json_integer(json, "target_offload", offload->target_offload);
	json_integer(json, "problem", offload->problem);
	json_begin_array(json, "devices");
	for (uint32_t i = 0; i < offload->device_count; i++)
		dump_device(json, offload, i);
	json_end_array(json);
	json_begin_array(json, "entries");
	for (uint32_t i = 0; i < offload->entry_count; i++)
		dump_entry(json, (const void *)((const char *)offload->entries +
						i * offload->entries->size));
	json_end_array(json);
}

void dump_offload(struct dump *dump)
{
	get_offload_t *get_offload;
	ompdx_offload_t *offload = NULL;
	const struct costs before = costs;
	struct timespec began, ended;
	ompd_rc_t rc = RC_ABSENT;

	*(void **)&get_offload = library_extension("ompdx_get_offload");
	clock_gettime(CLOCK_MONOTONIC, &began);
	if (get_offload)
		rc = get_offload(dump->space, NULL, 0, &offload);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	json_begin_object(dump->json, "offload");
	dump_rc(dump, "rc", rc);
	json_integer(dump->json, "reads", (int64_t)(costs.reads - before.reads));
	json_integer(dump->json, "bytes", (int64_t)(costs.bytes - before.bytes));
	json_integer(dump->json, "microseconds",
		     (ended.tv_sec - began.tv_sec) * 1000000L +
			     (ended.tv_nsec - began.tv_nsec) / 1000);
	json_integer(dump->json, "strings", (int64_t)(costs.strings - before.strings));
	if (rc == ompd_rc_ok) {
		dump_answer(dump->json, offload);
		free_of_library(offload);
	}
	json_end_object(dump->json);
	dump_icv_list(dump);
	json_begin_object(dump->json, "address_space");
	dump_icvs(dump, dump->space, SCOPE(address_space));
	json_end_object(dump->json);
	dump_icvs_release(dump);
}
