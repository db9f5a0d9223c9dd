/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/common/bytes.h"

struct span member_nested(struct span outer, struct span inner)
{
	const uint32_t offset = (uint32_t)outer.offset + inner.offset;
	const struct span span = {(uint16_t)offset, offset > UINT16_MAX ? 0 : inner.size};

	return span;
}

bool extent_cover(struct extent *extent, const struct span *const needed[], size_t needed_count,
		  struct span *const wanted[], size_t wanted_count)
{
	extent->start = UINT32_MAX;
	extent->end = 0;
	for (size_t i = 0; i < needed_count + wanted_count; i++) {
		const bool optional = i >= needed_count;
		const struct span *span = optional ? wanted[i - needed_count] : needed[i];
		const uint32_t end = (uint32_t)span->offset + span->size;
		const uint32_t first = span->offset < extent->start ? span->offset : extent->start;
		const uint32_t last = end > extent->end ? end : extent->end;

		if (span->size > 0 && span->size <= 8 && last - first <= STRUCTURE_BYTES_MAX) {
			extent->start = first;
			extent->end = last;
		} else if (optional) {
			wanted[i - needed_count]->size = 0;
		} else {
			return false;
		}
	}
	return true;
}

ompd_rc_t bytes_read(struct bytes *bytes, const struct target *target, const struct extent *extent,
		     target_addr address)
{
	if (address == 0)
		return ompd_rc_error;
	bytes->target = target;
	bytes->extent = *extent;
	return target_read(target, address + extent->start, extent->end - extent->start,
			   bytes->data);
}

/* Of a member that extent_cover has put inside. */
static const uint8_t *bytes_of(const struct bytes *bytes, struct span span)
{
	return bytes->data + (span.offset - bytes->extent.start);
}

ompd_rc_t member_read(const struct target *target, target_addr address, struct span span,
		      uint64_t *ret)
{
	if (address == 0 || span.size == 0)
		return ompd_rc_error;
	return target_read_unsigned(target, address + span.offset, span.size, ret);
}

uint64_t bytes_get(const struct bytes *bytes, struct span span)
{
	if (span.size == 0)
		return 0;
	return target_decode(bytes->target, bytes_of(bytes, span), span.size);
}

int32_t bytes_get_int(const struct bytes *bytes, struct span span)
{
	if (span.size == 0)
		return -1;
	return (int32_t)target_decode_signed(bytes->target, bytes_of(bytes, span), span.size);
}
