/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and addresses, by libelf from the objects' files: both symbol tables, since a stripped object has
 * only one, and names in the other may carry their version.
 */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "process.h"

#define HEAD_SIZE 4096

/* Whether the file is what is mapped: otherwise its symbols lie. */
static bool is_mapped(struct process *process, const struct object *object, Elf *elf)
{
	unsigned char mapped[HEAD_SIZE];
	size_t count, size;
	const char *file = elf_rawfile(elf, &size);
	GElf_Phdr header;

	if (!file || elf_getphdrnum(elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    header.p_offset != 0)
			continue;
		if (size > sizeof(mapped))
			size = sizeof(mapped);
		if (size > header.p_filesz)
			size = (size_t)header.p_filesz;
		return process->target->read(process->target, object->bias + header.p_vaddr, size,
					     mapped) &&
		       memcmp(mapped, file, size) == 0;
	}
	return false;
}

static bool is_kept(const GElf_Sym *symbol)
{
	const unsigned type = GELF_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
	       type != STT_SECTION && type != STT_FILE;
}

static void add_table(struct object *object, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;

	object->symbols = grown(object->symbols, object->symbol_count + count + 1,
				sizeof(object->symbols[0]));
	for (size_t i = 0; i < count; i++) {
		GElf_Sym entry;
		const char *name;
		bool is_tls;
		char *kept;

		if (!gelf_getsym(data, (int)i, &entry) || !is_kept(&entry))
			continue;
		name = elf_strptr(elf, header->sh_link, entry.st_name);
		if (!name || !*name)
			continue;
		kept = copied(name);
		kept[strcspn(kept, "@")] = 0;
		is_tls = GELF_ST_TYPE(entry.st_info) == STT_TLS;
		object->symbols[object->symbol_count++] = (struct symbol){
			.name = kept,
			.address = is_tls ? entry.st_value : object->bias + entry.st_value,
			.is_tls = is_tls,
			.local = GELF_ST_BIND(entry.st_info) == STB_LOCAL,
		};
	}
}

static int by_name(const void *left, const void *right)
{
	const struct symbol *one = left, *two = right;
	const int order = strcmp(one->name, two->name);

	return order ? order : (int)one->local - (int)two->local;
}

static void read_symbols(struct process *process, struct object *object)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf *elf;
	int file;

	object->symbols_read = true;
	file = open(object->path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return; /* the kernel's own object has no file */
	elf_version(EV_CURRENT);
	elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
	if (!elf || !is_mapped(process, object, elf)) {
		warn("%s is not the file that is mapped; its symbols are not used", object->path);
	} else {
		while ((section = elf_nextscn(elf, section)))
			if (gelf_getshdr(section, &header) &&
			    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
				add_table(object, elf, section, &header);
		qsort(object->symbols, object->symbol_count, sizeof(object->symbols[0]), by_name);
	}
	elf_end(elf);
	close(file);
}

const struct symbol *object_symbol(struct process *process, struct object *object, const char *name)
{
	size_t low = 0, high;

	if (!object->symbols_read)
		read_symbols(process, object);
	high = object->symbol_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(object->symbols[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == object->symbol_count || strcmp(object->symbols[low].name, name) != 0)
		return NULL;
	return &object->symbols[low];
}

static bool has_file_name(const struct object *object, const char *file_name)
{
	const char *base = strrchr(object->path, '/');

	return strcmp(object->path, file_name) == 0 || (base && strcmp(base + 1, file_name) == 0);
}

const struct symbol *process_symbol(struct process *process, const char *file_name,
				    const char *name, struct object **ret)
{
	for (int any = file_name ? 0 : 1; any < 2; any++)
		for (size_t i = 0; i < process->object_count; i++) {
			struct object *object = &process->objects[i];
			const struct symbol *found = NULL;

			if (any || has_file_name(object, file_name))
				found = object_symbol(process, object, name);
			if (found) {
				*ret = object;
				return found;
			}
		}
	return NULL;
}

const struct symbol *process_symbol_at(struct process *process, uint64_t address)
{
	for (size_t i = 0; i < process->object_count; i++) {
		struct object *object = &process->objects[i];

		if (!object->symbols_read)
			read_symbols(process, object);
		for (size_t k = 0; k < object->symbol_count; k++)
			if (object->symbols[k].address == address && !object->symbols[k].is_tls)
				return &object->symbols[k];
	}
	return NULL;
}

void symbols_release(struct object *object)
{
	for (size_t i = 0; i < object->symbol_count; i++)
		free(object->symbols[i].name);
	free(object->symbols);
}
