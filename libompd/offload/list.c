/* SPDX-License-Identifier: Apache-2.0 */
#include "offload/list.h"

static bool vector_holds(const target_addr words[3], size_t element, uint64_t *count)
{
	const target_addr first = words[0], end = words[1], room = words[2];

	if (first > end || end > room || (first == 0) != (room == 0) || (end - first) % element)
		return false;
	*count = (end - first) / element;
	return true;
}

/* Two counts of 32 bits follow the pointer, which leads behind them as long as the elements lie inside. */
static bool small_holds(const struct target *target, const target_addr words[3], uint64_t *count)
{
	const unsigned half = 32;
	const uint64_t low = words[1] & UINT32_MAX, high = words[1] >> half;
	const uint64_t capacity = target->big_endian ? low : high;

	*count = target->big_endian ? high : low;
	return words[0] && *count <= capacity;
}

ompd_rc_t list_open(struct list *list, const struct target *target,
		    const struct offload_list_place *place, target_addr address, uint64_t limit)
{
	target_addr words[3];
	uint64_t count = 0;
	bool holds;
	const ompd_rc_t rc = target_read_pointers(target, address + place->offset, 3, words);

	if (rc != ompd_rc_ok)
		return rc == ompd_rc_error ? ompd_rc_incompatible : rc;
	if (place->form == OFFLOAD_LIST_VECTOR)
		holds = vector_holds(words, place->element, &count);
	else
		holds = small_holds(target, words, &count);
	if (!holds || count > limit)
		return ompd_rc_incompatible;
	list->first = words[0];
	list->count = count;
	list->element = place->element;
	return ompd_rc_ok;
}

ompd_rc_t list_pointer(const struct list *list, const struct target *target, uint64_t index,
		       target_addr *ret)
{
	*ret = 0;
	if (index >= list->count)
		return ompd_rc_ok;
	return target_read_pointer(target, list->first + index * list->element, ret);
}
