/* SPDX-License-Identifier: Apache-2.0 */
#include "offload/reading.h"

#include <string.h>

void reading_init(struct offload_reading *reading, const struct target *target,
		  const struct offload_record *record, uint16_t machine)
{
	memset(reading, 0, sizeof(*reading));
	reading->target = target;
	reading->record = record;
	reading->machine = machine;
	reading->devices.item_size = sizeof(ompdx_device_t);
	reading->entries.item_size = sizeof(struct offload_entry);
	reading->mappings.item_size = sizeof(struct offload_mapping);
	reading->text.item_size = sizeof(char);
	reading->policy = -1;
}

void reading_deinit(struct offload_reading *reading)
{
	vector_deinit(&reading->devices);
	vector_deinit(&reading->entries);
	vector_deinit(&reading->mappings);
	vector_deinit(&reading->text);
	address_map_deinit(&reading->text_of);
}

ompd_rc_t reading_field(const struct offload_reading *reading, target_addr address,
			enum offload_field field, uint64_t *ret)
{
	return member_read(reading->target, address, reading->record->fields[field], ret);
}

ompd_rc_t reading_text(struct offload_reading *reading, target_addr address, size_t *ret)
{
	const uint32_t known = address_map_get(&reading->text_of, address);
	char text[SOURCE_LENGTH_MAX];
	size_t length;
	void *room;
	ompd_rc_t rc;

	*ret = known == ADDRESS_MAP_NONE ? 0 : known;
	if (known != ADDRESS_MAP_NONE || address == 0)
		return ompd_rc_ok;
	rc = target_read_string(reading->target, address, sizeof(text), text);
	if (rc != ompd_rc_ok && rc != ompd_rc_incomplete)
		return rc == ompd_rc_error ? ompd_rc_ok : rc;
	length = strlen(text) + 1;
	rc = vector_add(&reading->text, length, VIEW_TEXT_MAX, &room);
	if (rc != ompd_rc_ok)
		return rc;
	memcpy(room, text, length);
	*ret = reading->text.count - length + 1;
	return address_map_put(&reading->text_of, address, (uint32_t)*ret);
}

bool reading_ends(ompd_rc_t rc)
{
	return rc == ompd_rc_stale_handle || rc == ompd_rc_callback_error || rc == ompd_rc_nomem;
}

void reading_spoil(struct offload_reading *reading, struct offload_mapping *mapping,
		   ompdx_problem_t problem)
{
	if (mapping->shown.problem != ompdx_problem_none)
		return;
	reading->misfits++;
	mapping->shown.dynamic_count = mapping->shown.hold_count = 0;
	mapping->shown.problem = problem;
}
