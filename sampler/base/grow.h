/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of our own. Without it there is no record: the process ends then, with a sentence.
 */
#ifndef SAMPLER_GROW_H
#define SAMPLER_GROW_H

#include <stddef.h>

void *take_memory(size_t count, size_t size); /* zeroed */

/* Room for one element more than count: the array, moved perhaps; the new part is zeroed. */
void *grow_array(void *array, size_t count, size_t *capacity, size_t size);

char *copy_text(const char *text); /* NULL: NULL */

#endif /* SAMPLER_GROW_H */
