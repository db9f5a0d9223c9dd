/* SPDX-License-Identifier: Apache-2.0
 *
 * A core file. What it does not hold, since files have it, comes from the files that its note NT_FILE names.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <unistd.h>

#include "fail.h"
#include "target.h"

#define HEAD_SIZE 4096 /* ELF header, program headers and notes: differs between any two builds */
#define FILES_MAX 65536

struct segment {
	uint64_t start, end; /* of what the core holds */
	uint64_t offset;
};

struct mapping {
	uint64_t start, end, offset;
	const char *path;
	int file; /* -1: not to be had, or another than the one that was mapped */
};

struct core {
	struct target target;
	int file;
	Elf *elf;
	struct segment *segments;
	size_t segment_count;
	struct mapping *mappings;
	size_t mapping_count;
};

static const struct segment *segment_at(const struct core *core, uint64_t address)
{
	for (size_t i = 0; i < core->segment_count; i++)
		if (address >= core->segments[i].start && address < core->segments[i].end)
			return &core->segments[i];
	return NULL;
}

static const struct mapping *mapping_at(const struct core *core, uint64_t address)
{
	for (size_t i = 0; i < core->mapping_count; i++)
		if (address >= core->mappings[i].start && address < core->mappings[i].end)
			return &core->mappings[i];
	return NULL;
}

/* Reads as much as one place holds of it; 0: no place does. */
static size_t read_some(const struct core *core, uint64_t address, size_t size, void *buffer)
{
	const struct segment *segment = segment_at(core, address);
	const struct mapping *mapping = segment ? NULL : mapping_at(core, address);
	uint64_t start, end, offset;
	ssize_t got;
	int file;

	if (segment) {
		start = segment->start;
		end = segment->end;
		offset = segment->offset;
		file = core->file;
	} else if (mapping && mapping->file >= 0) {
		start = mapping->start;
		end = mapping->end;
		offset = mapping->offset;
		file = mapping->file;
		for (size_t i = 0; i < core->segment_count; i++)
			if (core->segments[i].start > address && core->segments[i].start < end)
				end = core->segments[i].start;
	} else {
		return 0;
	}
	if (size > end - address)
		size = (size_t)(end - address);
	got = pread(file, buffer, size, (off_t)(offset + (address - start)));
	return got > 0 ? (size_t)got : 0;
}

static bool core_read(struct target *target, uint64_t address, size_t size, void *buffer)
{
	const struct core *core = (const struct core *)target;
	size_t done = 0;

	while (done < size) {
		const size_t part =
			read_some(core, address + done, size - done, (char *)buffer + done);

		if (part == 0)
			return false;
		done += part;
	}
	return true;
}

static void core_close(struct target *target)
{
	struct core *core = (struct core *)target;

	for (size_t i = 0; i < core->mapping_count; i++)
		if (core->mappings[i].file >= 0)
			close(core->mappings[i].file);
	elf_end(core->elf);
	close(core->file);
	free(core->mappings);
	free(core->segments);
	free(core);
}

/* Whether the file is still the one that was mapped: the core holds the head of each object. */
static bool is_same_file(const struct core *core, int file, const char *path)
{
	unsigned char mapped[HEAD_SIZE], now[HEAD_SIZE];

	for (size_t i = 0; i < core->mapping_count; i++) {
		const struct mapping *head = &core->mappings[i];
		ssize_t got;

		if (head->offset != 0 || strcmp(head->path, path) != 0 ||
		    !segment_at(core, head->start))
			continue;
		got = pread(file, now, sizeof(now), 0);
		return got > 0 &&
		       read_some(core, head->start, (size_t)got, mapped) == (size_t)got &&
		       memcmp(mapped, now, (size_t)got) == 0;
	}
	return true; /* nothing to tell by */
}

/* NT_FILE: count, page size, then start, end, offset in pages of each, then their names. */
static void read_mappings(struct core *core, const char *note, size_t size)
{
	uint64_t head[2], words[3];
	const char *name, *end = note + size;

	if (size < sizeof(head))
		return;
	memcpy(head, note, sizeof(head));
	if (head[0] > FILES_MAX || head[0] > (size - sizeof(head)) / sizeof(words))
		return;
	core->mappings = grown(core->mappings, (size_t)head[0] + 1, sizeof(core->mappings[0]));
	name = note + sizeof(head) + head[0] * sizeof(words);
	for (size_t i = 0; i < head[0]; i++) {
		const char *nul = memchr(name, 0, (size_t)(end - name));

		if (!nul)
			return;
		memcpy(words, note + sizeof(head) + i * sizeof(words), sizeof(words));
		core->mappings[core->mapping_count++] =
			(struct mapping){words[0], words[1], words[2] * head[1], name, -1};
		name = nul + 1;
	}
}

static void read_notes(struct core *core, const GElf_Phdr *header)
{
	Elf_Data *data = elf_getdata_rawchunk(core->elf, (int64_t)header->p_offset,
					      header->p_filesz, ELF_T_NHDR);
	size_t at = 0, name, desc, next;
	GElf_Nhdr note;

	while (data && at < data->d_size && (next = gelf_getnote(data, at, &note, &name, &desc))) {
		const char *content = (const char *)data->d_buf + desc;
		struct elf_prpsinfo process;

		at = next;
		if (note.n_type == NT_FILE) {
			read_mappings(core, content, note.n_descsz);
		} else if (note.n_type == NT_AUXV && note.n_descsz <= AUXV_MAX) {
			memcpy(core->target.auxv, content, note.n_descsz);
			core->target.auxv_size = note.n_descsz;
		} else if (note.n_type == NT_PRPSINFO && note.n_descsz == sizeof(process)) {
			memcpy(&process, content, sizeof(process));
			core->target.pid = process.pr_pid;
		}
	}
}

static void read_segments(struct core *core, size_t count)
{
	GElf_Phdr header;

	core->segments = grown(NULL, count + 1, sizeof(core->segments[0]));
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(core->elf, (int)i, &header))
			continue;
		if (header.p_type == PT_NOTE)
			read_notes(core, &header);
		else if (header.p_type == PT_LOAD && header.p_filesz > 0)
			core->segments[core->segment_count++] = (struct segment){
				header.p_vaddr, header.p_vaddr + header.p_filesz, header.p_offset};
	}
}

static void open_mapped_files(struct core *core)
{
	const struct mapping *program = mapping_at(core, target_auxiliary(&core->target, AT_ENTRY));
	const char *program_path = program ? program->path : "";

	for (size_t i = 0; i < core->mapping_count; i++) {
		struct mapping *mapping = &core->mappings[i];
		const bool is_program = strcmp(mapping->path, program_path) == 0;

		mapping->file = open(is_program ? core->target.executable : mapping->path,
				     O_RDONLY | O_CLOEXEC);
		if (mapping->file < 0 || is_same_file(core, mapping->file, mapping->path))
			continue;
		if (mapping->offset == 0)
			warn("%s is not the file that was mapped; not used",
			     is_program ? core->target.executable : mapping->path);
		close(mapping->file);
		mapping->file = -1;
	}
}

struct target *target_open_core(const char *path, const char *executable)
{
	struct core *core = grown(NULL, 1, sizeof(*core));
	GElf_Ehdr header;
	size_t count;

	*core = (struct core){.target = {.read = core_read, .close = core_close}};
	if (!realpath(executable, core->target.executable))
		fail("cannot open %s: %s", executable, strerror(errno));
	core->file = open(path, O_RDONLY | O_CLOEXEC);
	if (core->file < 0)
		fail("cannot open %s: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	core->elf = elf_begin(core->file, ELF_C_READ_MMAP, NULL);
	if (!core->elf || !gelf_getehdr(core->elf, &header) || header.e_type != ET_CORE)
		fail("%s is not a core file", path);
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    sizeof(void *) != 8 || header.e_machine != EM_X86_64)
		fail("%s is of another architecture; only 64-bit x86 is read here", path);
	if (elf_getphdrnum(core->elf, &count) != 0)
		fail("%s: %s", path, elf_errmsg(-1));
	read_segments(core, count);
	open_mapped_files(core);
	return &core->target;
}
