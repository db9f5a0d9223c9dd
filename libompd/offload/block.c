/* SPDX-License-Identifier: Apache-2.0 */
#include "offload/block.h"

#include <string.h>

#include "target/callbacks.h"

ompd_rc_t offload_block_create(const struct offload_reading *reading, const ompdx_offload_t *head,
			       const char *path, ompdx_offload_t **ret)
{
	const size_t devices = sizeof(ompdx_offload_t);
	const size_t entries = devices + reading->devices.count * sizeof(ompdx_device_t);
	const size_t mappings = entries + reading->entries.count * sizeof(ompdx_offload_entry_t);
	const size_t text = mappings + reading->mappings.count * sizeof(ompdx_mapping_t);
	const size_t path_at = text + reading->text.count;
	ompdx_offload_entry_t *entry;
	ompdx_mapping_t *mapping;
	ompdx_offload_t *answer;
	void *block = NULL;
	const ompd_rc_t rc = callback_alloc(1, path_at + strlen(path) + 1, &block);

	if (rc != ompd_rc_ok)
		return rc;
	answer = block;
	*answer = *head;
	answer->size = sizeof(*answer);
	answer->device_count = (uint32_t)reading->devices.count;
	answer->entry_count = (uint32_t)reading->entries.count;
	answer->mapping_count = (uint32_t)reading->mappings.count;
	answer->devices = (void *)((char *)block + devices);
	entry = (void *)((char *)block + entries);
	mapping = (void *)((char *)block + mappings);
	answer->entries = entry;
	answer->mappings = mapping;
	if (reading->devices.count)
		memcpy((char *)block + devices, reading->devices.items, entries - devices);
	if (reading->text.count)
		memcpy((char *)block + text, reading->text.items, reading->text.count);
	for (size_t i = 0; i < reading->entries.count; i++) {
		const struct offload_entry *from = vector_at(&reading->entries, i);

		entry[i] = from->shown;
		entry[i].name = from->name ? (char *)block + text + from->name - 1 : NULL;
	}
	for (size_t i = 0; i < reading->mappings.count; i++) {
		const struct offload_mapping *from = vector_at(&reading->mappings, i);

		mapping[i] = from->shown;
		mapping[i].source = from->source ? (char *)block + text + from->source - 1 : NULL;
	}
	memcpy((char *)block + path_at, path, strlen(path) + 1);
	answer->path = path[0] ? (char *)block + path_at : NULL;
	*ret = answer;
	return ompd_rc_ok;
}
