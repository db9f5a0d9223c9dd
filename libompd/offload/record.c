/* SPDX-License-Identifier: Apache-2.0 */
#include "offload/record.h"

const struct offload_record offload_records[] = {
#include "offload/records.inc"
};

const size_t offload_record_count = COUNT(offload_records);

const struct offload_record *offload_record_of(int32_t version)
{
	for (size_t i = 0; i < offload_record_count; i++) {
		const struct offload_record *record = &offload_records[i];

		for (size_t k = 0; k < COUNT(record->versions) && record->versions[k]; k++) {
			if (record->versions[k] == version)
				return record;
		}
	}
	return NULL;
}
