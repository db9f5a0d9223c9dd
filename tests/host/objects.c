/* SPDX-License-Identifier: Apache-2.0
 *
 * Which objects are loaded, and where? From the program's headers to its dynamic section, from there to the
 * dynamic linker's lists, one for each namespace.
 */
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "fail.h"
#include "process.h"

#define OBJECTS_MAX 8192
#define NAMESPACES_MAX 64
#define HEADERS_MAX 64
#define DYNAMIC_MAX 256

static void add(struct process *process, const char *path, uint64_t bias, uint64_t link_map)
{
	process->objects =
		grown(process->objects, process->object_count + 1, sizeof(process->objects[0]));
	process->objects[process->object_count++] =
		(struct object){.path = copied(path), .bias = bias, .link_map = link_map};
}

static bool read_at(struct process *process, uint64_t address, size_t size, void *buffer)
{
	return process->target->read(process->target, address, size, buffer);
}

/* The address of the program's dynamic section, and its bias; 0: it has none. */
static uint64_t find_dynamic(struct process *process, uint64_t *bias)
{
	const uint64_t headers = target_auxiliary(process->target, AT_PHDR);
	const uint64_t count = target_auxiliary(process->target, AT_PHNUM);
	uint64_t dynamic = 0;
	Elf64_Phdr header;

	*bias = 0;
	for (uint64_t i = 0; i < count && i < HEADERS_MAX; i++) {
		if (!read_at(process, headers + i * sizeof(header), sizeof(header), &header))
			return 0;
		if (header.p_type == PT_PHDR)
			*bias = headers - header.p_vaddr;
		else if (header.p_type == PT_DYNAMIC)
			dynamic = header.p_vaddr;
	}
	return dynamic ? *bias + dynamic : 0;
}

static uint64_t find_debug(struct process *process, uint64_t dynamic)
{
	Elf64_Dyn entry;

	for (unsigned i = 0; dynamic && i < DYNAMIC_MAX; i++) {
		if (!read_at(process, dynamic + i * sizeof(entry), sizeof(entry), &entry) ||
		    entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_DEBUG)
			return entry.d_un.d_ptr;
	}
	return 0;
}

static void read_list(struct process *process, uint64_t first)
{
	char path[PATH_MAX];
	struct link_map map;

	for (uint64_t at = first; at && process->object_count < OBJECTS_MAX;
	     at = (uint64_t)(uintptr_t)map.l_next) {
		if (!read_at(process, at, sizeof(map), &map))
			return;
		if (!target_read_string(process->target, (uint64_t)(uintptr_t)map.l_name,
					sizeof(path), path))
			path[0] = 0;
		if (process->object_count == 0)
			strcpy(path, process->target->executable);
		if (path[0])
			add(process, path, map.l_addr, at);
	}
}

void objects_read(struct process *process)
{
	uint64_t bias, next = find_debug(process, find_dynamic(process, &bias));

	for (unsigned i = 0; next && i < NAMESPACES_MAX; i++) {
		/* From version 2 on, the next namespace's address follows. */
		struct {
			struct r_debug debug;
			uint64_t next;
		} list;

		if (!read_at(process, next, sizeof(list.debug), &list.debug))
			break;
		read_list(process, (uint64_t)(uintptr_t)list.debug.r_map);
		if (list.debug.r_version < 2 ||
		    !read_at(process, next + offsetof(__typeof__(list), next), sizeof(list.next),
			     &list.next))
			break;
		next = list.next;
	}
	if (process->object_count == 0)
		add(process, process->target->executable, bias, 0);
}
