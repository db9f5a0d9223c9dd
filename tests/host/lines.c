/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>

#include "fail.h"

struct lines {
	Dwfl *dwfl;
};

/* Separate debug files are not looked for: that may mean asking a server. */
static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **ret)
{
	(void)module, (void)data, (void)name, (void)base;
	(void)file, (void)link, (void)crc, (void)ret;
	return -1;
}

static const Dwfl_Callbacks how = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = no_debug_file,
};

struct lines *lines_open(const struct process *process)
{
	struct lines *lines = grown(NULL, 1, sizeof(*lines));

	lines->dwfl = dwfl_begin(&how);
	if (!lines->dwfl)
		fail("libdwfl: %s", dwfl_errmsg(-1));
	dwfl_report_begin(lines->dwfl);
	/* An object without a file, the kernel's own, has no lines. */
	for (size_t i = 0; i < process->object_count; i++)
		dwfl_report_elf(lines->dwfl, process->objects[i].path, process->objects[i].path, -1,
				process->objects[i].bias, true);
	dwfl_report_end(lines->dwfl, NULL, NULL);
	return lines;
}

void lines_close(struct lines *lines)
{
	dwfl_end(lines->dwfl);
	free(lines);
}

/* All units are looked through: clang writes no index by address. */
const char *lines_find(struct lines *lines, uint64_t address, int *line)
{
	Dwfl_Module *module = dwfl_addrmodule(lines->dwfl, address);
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	while (module && (unit = dwfl_module_nextcu(module, unit, &bias))) {
		Dwarf_Line *found = dwarf_haspc(unit, address - bias) > 0
					    ? dwarf_getsrc_die(unit, address - bias)
					    : NULL;

		if (found && dwarf_lineno(found, line) == 0)
			return dwarf_linesrc(found, NULL, NULL);
	}
	return NULL;
}
