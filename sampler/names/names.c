/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/grow.h"

static char *debug_path; /* NULL: the usual folders */

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

struct names {
	Dwfl *dwfl;
	Dwfl_Module *module; /* NULL: it cannot be read */
};

static struct names *names_of(struct image *image)
{
	if (image->names)
		return image->names;
	struct names *names = take(1, sizeof *names);

	image->names = names;
	if (!image->file)
		return names;
	names->dwfl = dwfl_begin(&callbacks);
	int fd = open(image->file, O_RDONLY | O_CLOEXEC);

	if (!names->dwfl || fd < 0)
		return names;
	dwfl_report_begin(names->dwfl);
	/* A descriptor that it cannot use it does not close. */
	names->module = dwfl_report_elf(names->dwfl, image->path, image->file, fd, image->bias, true);
	if (!names->module)
		close(fd);
	dwfl_report_end(names->dwfl, NULL, NULL);
	return names;
}

void names_release(struct image *image)
{
	struct names *names = image->names;

	if (!names)
		return;
	if (names->dwfl)
		dwfl_end(names->dwfl);
	free(names);
	image->names = NULL;
}

struct function_name name_function(struct image *image, uint64_t address)
{
	struct names *names = names_of(image);
	struct function_name found = {NULL, 0};
	GElf_Off offset;
	GElf_Sym symbol;

	if (!names->module)
		return found;
	found.symbol = dwfl_module_addrinfo(names->module, address, &offset, &symbol, NULL, NULL, NULL);
	/* One without a size is only the nearest before: a stripped function behind it has no name. */
	if (found.symbol && symbol.st_size == 0 && offset > 64)
		found.symbol = NULL;
	if (found.symbol)
		found.start = address - offset;
	return found;
}

struct line_name name_line(struct image *image, uint64_t address)
{
	struct names *names = names_of(image);
	struct line_name found = {NULL, 0};

	if (!names->module)
		return found;
	Dwfl_Line *line = dwfl_module_getsrc(names->module, address);

	if (line)
		found.file = dwfl_lineinfo(line, NULL, &found.line, NULL, NULL, NULL);
	return found;
}

uint64_t name_address(struct image *image, const char *wanted)
{
	struct names *names = names_of(image);
	int count = names->module ? dwfl_module_getsymtab(names->module) : 0;

	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section;
		const char *name = dwfl_module_getsym_info(names->module, i, &symbol, &address,
							   &section, NULL, NULL);

		if (name && section != SHN_UNDEF && strcmp(name, wanted) == 0)
			return address;
	}
	return 0;
}
