/* SPDX-License-Identifier: Apache-2.0 */
#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

#include "base/say.h"

void *take_memory(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		fail(EXIT_FAULT, "There is no memory left for the sampler.");
	return memory;
}

void *grow_array(void *array, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return array;
	size_t wanted = *capacity ? *capacity * 2 : 16;
	char *memory = realloc(array, wanted * size);

	if (!memory)
		fail(EXIT_FAULT, "There is no memory left for the sampler.");
	memset(memory + *capacity * size, 0, (wanted - *capacity) * size);
	*capacity = wanted;
	return memory;
}

char *copy_text(const char *text)
{
	if (!text)
		return NULL;
	size_t size = strlen(text) + 1;
	char *copy = take_memory(size, 1);

	memcpy(copy, text, size);
	return copy;
}
