/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/members.h"

struct span member_published(const uint64_t *table, enum access member)
{
	const struct span span = {(uint16_t)table[TABLE_OFFSETS + member],
				  (uint16_t)table[TABLE_MEMBER_SIZES + member]};

	return span;
}

struct span member_recorded(const struct record *record, enum record_field field)
{
	const struct span none = {0, 0};

	return record ? record->fields[field] : none;
}
