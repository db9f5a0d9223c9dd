/* SPDX-License-Identifier: Apache-2.0 */
#include "names/names.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/regular_file.h"
#include "base/search.h"
#include "names/cut_file.h"
#include "names/separate.h"
#include "names/symbols.h"

/* Of more compilation units no lines are told. */
#define UNITS_MAX (1 << 20)

static char *debug_path; /* NULL: the usual folders */

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = separate_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

/* Which compilation unit's code is where: addresses of the file's. Compilers need not leave a table of that. */
struct unit {
	uint64_t start, end;
	Dwarf_Off offset;
};

struct names {
	Dwfl *dwfl;
	Dwfl_Module *module; /* NULL: it cannot be read */
	struct symbols symbols;
	Dwarf *dwarf;        /* NULL: no debug information */
	uint64_t dwarf_bias; /* address in the process less that in dwarf */
	struct unit *units;
	size_t unit_count, unit_capacity;
	bool has_units;
	bool is_open;
	struct stat file; /* as it was when it was opened first */
};

/* Whoever writes to the file makes another program's of it. One that has only made way for another file is still whole, as
 * long as it is open. */
static bool was_written_to(const struct stat *before, const struct stat *is)
{
	return is->st_size != before->st_size || is->st_mtim.tv_sec != before->st_mtim.tv_sec ||
	       is->st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

static bool is_same_file(const struct stat *before, const struct stat *is)
{
	return is->st_ino == before->st_ino && is->st_dev == before->st_dev;
}

/* From then on it tells nothing. */
static void look_for_changes(struct image *image)
{
	struct names *names = image->names;
	struct stat is;

	if (!names->module || stat(image->file, &is) || !is_same_file(&names->file, &is) ||
	    !was_written_to(&names->file, &is))
		return;
	names->module = NULL;
	names->dwarf = NULL;
	names->unit_count = names->symbols.count = 0;
	image->changed = true;
}

/* That it was opened before, and is another one now. */
static bool is_another_file(const struct stat *before, int fd)
{
	struct stat is;

	return before->st_ino &&
	       (fstat(fd, &is) || !is_same_file(before, &is) || was_written_to(before, &is));
}

static void open_names(struct image *image, struct names *names)
{
	int fd = image->file ? open_regular(image->file) : -1;

	names->is_open = true;
	/* The process may have ended, through whose root it was reached. */
	if (fd < 0 && names->file.st_ino)
		fd = open_regular(image->path);
	if (fd < 0)
		return;
	if (is_another_file(&names->file, fd)) {
		image->changed = true;
		close(fd);
		return;
	}
	names->dwfl = dwfl_begin(&callbacks);
	if (!names->dwfl) {
		close(fd);
		return;
	}
	cut_files_read_as_zeros();
	fstat(fd, &names->file);
	dwfl_report_begin(names->dwfl);
	/* A descriptor that it cannot use it does not close. */
	names->module =
		dwfl_report_elf(names->dwfl, image->path, image->file, fd, image->bias, true);
	if (!names->module)
		close(fd);
	dwfl_report_end(names->dwfl, NULL, NULL);
}

static struct names *names_of(struct image *image)
{
	struct names *names = image->names;

	if (!names)
		image->names = names = take_memory(1, sizeof *names);
	if (names->is_open)
		look_for_changes(image);
	else
		open_names(image, names);
	return names;
}

void names_close(struct image *image)
{
	struct names *names = image->names;

	if (!names || !names->is_open)
		return;
	if (names->dwfl)
		dwfl_end(names->dwfl);
	symbols_deinit(&names->symbols);
	free(names->units);
	*names = (struct names){.file = names->file};
}

void names_release(struct image *image)
{
	names_close(image);
	free(image->names);
	image->names = NULL;
}

/* Those of its table are listed once: elfutils goes through all for each address. */
static const struct symbols *symbols_of(struct image *image)
{
	struct names *names = names_of(image);

	if (names->module && !names->symbols.has_all)
		symbols_read(&names->symbols, names->module);
	return &names->symbols;
}

struct function_name name_function(struct image *image, uint64_t address)
{
	const struct symbol *found = symbol_at(symbols_of(image), address);

	return found ? (struct function_name){found->name, found->start}
		     : (struct function_name){NULL, 0};
}

static void add_units(struct names *names, Dwarf_Die *unit)
{
	ptrdiff_t at = 0;
	Dwarf_Addr base, start, end;

	while ((at = dwarf_ranges(unit, at, &base, &start, &end)) > 0) {
		if (start >= end || names->unit_count == UNITS_MAX)
			continue;
		names->units = grow_array(names->units, names->unit_count, &names->unit_capacity,
					  sizeof *names->units);
		names->units[names->unit_count++] =
			(struct unit){start, end, dwarf_dieoffset(unit)};
	}
}

static int by_start(const void *left, const void *right)
{
	const struct unit *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

static void list_units(struct names *names)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	Dwarf_Addr bias;

	if (names->has_units)
		return;
	names->has_units = true;
	names->dwarf = dwfl_module_getdwarf(names->module, &bias);
	if (!names->dwarf)
		return;
	names->dwarf_bias = bias;
	while (dwarf_get_units(names->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		add_units(names, &die);
	if (names->unit_count)
		qsort(names->units, names->unit_count, sizeof *names->units, by_start);
}

static uint64_t start_of(const void *units, uint64_t number)
{
	return ((const struct unit *)units)[number].start;
}

static const struct unit *unit_at(const struct names *names, uint64_t address)
{
	const uint64_t behind = first_behind(0, names->unit_count, address, start_of, names->units);

	return behind && address < names->units[behind - 1].end ? &names->units[behind - 1] : NULL;
}

struct line_name name_line(struct image *image, uint64_t address)
{
	struct names *names = names_of(image);
	struct line_name found = {NULL, 0};
	Dwarf_Die die;

	if (!names->module)
		return found;
	list_units(names);
	const struct unit *unit = unit_at(names, address - names->dwarf_bias);

	if (!unit || !dwarf_offdie(names->dwarf, unit->offset, &die))
		return found;
	Dwarf_Line *line = dwarf_getsrc_die(&die, address - names->dwarf_bias);

	if (line && dwarf_lineno(line, &found.line) == 0)
		found.file = dwarf_linesrc(line, NULL, NULL);
	return found;
}

uint64_t name_address(struct image *image, const char *wanted)
{
	const struct symbols *symbols = symbols_of(image);

	for (size_t i = 0; i < symbols->count; i++)
		if (strcmp(symbols->all[i].name, wanted) == 0)
			return symbols->all[i].start;
	return 0;
}

/* clang: .gomp_critical_user_NAME.var; gcc: .gomp_critical_user_NAME */
char *name_critical(struct image *image, uint64_t address)
{
	static const char before[] = "gomp_critical_user_", behind[] = ".var";
	const struct symbol *symbol = symbol_at(symbols_of(image), address);

	if (!symbol || symbol->start != address)
		return NULL;
	const char *found = symbol->name;

	while (*found == '.' || *found == '_')
		found++;
	if (strncmp(found, before, sizeof before - 1) != 0)
		return NULL;
	found += sizeof before - 1;
	size_t length = strlen(found);

	if (length >= sizeof behind - 1 &&
	    strcmp(found + length - (sizeof behind - 1), behind) == 0)
		length -= sizeof behind - 1;
	return length ? strndup(found, length) : NULL;
}
