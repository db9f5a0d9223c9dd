/* SPDX-License-Identifier: Apache-2.0
 *
 * What begins where, in a list that is sorted by that.
 */
#ifndef SAMPLER_SEARCH_H
#define SAMPLER_SEARCH_H

#include <stdint.h>

/* Of the elements from `low' to before `high', the first that begins behind `at'; high: none does. */
static inline uint64_t first_behind(uint64_t low, uint64_t high, uint64_t at,
				    uint64_t (*begins)(const void *list, uint64_t number),
				    const void *list)
{
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (begins(list, middle) <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif /* SAMPLER_SEARCH_H */
