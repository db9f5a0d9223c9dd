/* SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

#include <elf.h>
#include <string.h>

uint64_t target_auxiliary(const struct target *target, uint64_t type)
{
	Elf64_auxv_t entry;

	for (size_t at = 0; at + sizeof(entry) <= target->auxv_size; at += sizeof(entry)) {
		memcpy(&entry, target->auxv + at, sizeof(entry));
		if (entry.a_type == AT_NULL)
			break;
		if (entry.a_type == type)
			return entry.a_un.a_val;
	}
	return 0;
}

bool target_read_string(struct target *target, uint64_t address, size_t size, char *buffer)
{
	/* Memory may end behind the string: never read over the end of what a string is in. */
	const size_t step = 64;
	size_t done = 0;

	while (done < size) {
		size_t part = step - (address + done) % step;

		if (part > size - done)
			part = size - done;
		if (!target->read(target, address + done, part, buffer + done))
			return false;
		if (memchr(buffer + done, 0, part))
			return true;
		done += part;
	}
	return false;
}
