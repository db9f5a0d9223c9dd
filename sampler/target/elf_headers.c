/* SPDX-License-Identifier: Apache-2.0 */
#include "target/elf_headers.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/regular_file.h"
#include "unwind/entries.h"
#include "unwind/machine.h"
#include "unwind/pointers.h"

/* Files with more are no programs. */
#define HEADERS_MAX 128
#define NOTES_MAX 4096
#define SECTIONS_MAX 256
#define SECTION_NAMES_MAX 8192
/* The largest programs' .eh_frame is of some 10 MiB. */
#define FRAMES_BYTES_MAX (UINT64_C(256) << 20)

/* Where the bytes come from: the file, or if it cannot be had the process's memory. */
struct source {
	int fd;
	struct memory *memory;
	uint64_t bias;
	const Elf64_Phdr *headers;
	size_t count;
};

static bool read_at(const struct source *source, uint64_t offset, void *bytes, size_t size)
{
	if (source->fd >= 0)
		return pread(source->fd, bytes, size, (off_t)offset) == (ssize_t)size;
	for (size_t i = 0; i < source->count; i++) {
		const Elf64_Phdr *header = &source->headers[i];

		if (header->p_type == PT_LOAD && offset >= header->p_offset &&
		    offset - header->p_offset < header->p_filesz)
			return memory_read(source->memory,
					   source->bias + header->p_vaddr +
						   (offset - header->p_offset),
					   size, bytes);
	}
	return false;
}

static const Elf64_Phdr *segment_of(const struct source *source, uint64_t address)
{
	for (size_t i = 0; i < source->count; i++) {
		const Elf64_Phdr *header = &source->headers[i];

		if (header->p_type == PT_LOAD && address >= header->p_vaddr &&
		    address - header->p_vaddr < header->p_filesz)
			return header;
	}
	return NULL;
}

/* All of the segment from the address on. NULL: there is none. */
static uint8_t *rest_of_segment(const struct source *source, uint64_t address, size_t *size)
{
	const Elf64_Phdr *segment = segment_of(source, address);

	if (!segment)
		return NULL;
	uint64_t skipped = address - segment->p_vaddr, count = segment->p_filesz - skipped;

	if (count > FRAMES_BYTES_MAX)
		return NULL;
	uint8_t *bytes = take_memory((size_t)count, 1);

	if (!read_at(source, segment->p_offset + skipped, bytes, (size_t)count)) {
		free(bytes);
		return NULL;
	}
	*size = (size_t)count;
	return bytes;
}

static void read_cfi(const struct source *source, const Elf64_Phdr *header, struct cfi *cfi)
{
	cfi->header_address = header->p_vaddr;
	cfi->header = rest_of_segment(source, header->p_vaddr, &cfi->header_size);
	if (!cfi->header)
		return;
	struct bytes bytes = {cfi->header, cfi->header_size, 0, false};
	uint64_t version = bytes_unsigned(&bytes, 1), encoding = bytes_unsigned(&bytes, 1);

	bytes_skip(&bytes, 2);
	cfi->frames_address = encoded_pointer(&bytes, (uint8_t)encoding, cfi->header_address,
					      cfi->header_address);
	if (!bytes.bad && version == 1)
		cfi->frames = rest_of_segment(source, cfi->frames_address, &cfi->frames_size);
}

/* A program that is linked by `-static' registers .eh_frame when it begins, and has no header for it: the file's
 * sections name it, also if it is stripped. */
static void read_section(const struct source *source, struct cfi *cfi)
{
	Elf64_Ehdr header;
	Elf64_Shdr sections[SECTIONS_MAX];
	char names[SECTION_NAMES_MAX] = "";

	if (source->fd < 0 || pread(source->fd, &header, sizeof header, 0) != sizeof header ||
	    header.e_shentsize != sizeof *sections || header.e_shnum > SECTIONS_MAX ||
	    header.e_shstrndx >= header.e_shnum)
		return;
	const size_t size = header.e_shnum * sizeof *sections;

	if (pread(source->fd, sections, size, (off_t)header.e_shoff) != (ssize_t)size)
		return;
	const Elf64_Shdr *strings = &sections[header.e_shstrndx];

	if (strings->sh_size >= sizeof names ||
	    pread(source->fd, names, strings->sh_size, (off_t)strings->sh_offset) !=
		    (ssize_t)strings->sh_size)
		return;
	for (size_t i = 0; i < header.e_shnum; i++) {
		const Elf64_Shdr *section = &sections[i];

		if (section->sh_name >= sizeof names ||
		    strcmp(names + section->sh_name, ".eh_frame") != 0)
			continue;
		cfi->frames_address = section->sh_addr;
		cfi->frames = rest_of_segment(source, section->sh_addr, &cfi->frames_size);
		if (cfi->frames && section->sh_size < cfi->frames_size)
			cfi->frames_size = (size_t)section->sh_size;
		return;
	}
}

static void read_build_id(const struct source *source, const Elf64_Phdr *header, char text[65])
{
	uint8_t notes[NOTES_MAX];
	size_t size = header->p_filesz < sizeof notes ? (size_t)header->p_filesz : sizeof notes;
	struct bytes bytes = {notes, size, 0, !read_at(source, header->p_offset, notes, size)};

	while (!bytes.bad && bytes.at < bytes.size) {
		uint64_t name_size = bytes_unsigned(&bytes, 4),
			 value_size = bytes_unsigned(&bytes, 4);
		uint64_t type = bytes_unsigned(&bytes, 4);
		struct bytes name = bytes_part(&bytes, (name_size + 3) & ~UINT64_C(3));
		struct bytes value = bytes_part(&bytes, (value_size + 3) & ~UINT64_C(3));

		if (value.bad || type != NT_GNU_BUILD_ID || name_size != 4 || value_size > 32 ||
		    memcmp(name.start, "GNU", 4) != 0)
			continue;
		for (size_t i = 0; i < value_size; i++)
			snprintf(text + 2 * i, 3, "%02x", value.start[i]);
		return;
	}
}

/* address less that in the file, by the segment that the mapping is of. */
static bool find_bias(const Elf64_Phdr *headers, size_t count, uint64_t address, uint64_t offset,
		      uint64_t *bias)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < count; i++) {
		uint64_t start = headers[i].p_offset - headers[i].p_offset % page;

		if (headers[i].p_type == PT_LOAD && headers[i].p_flags & PF_X && offset >= start &&
		    offset < headers[i].p_offset + headers[i].p_filesz) {
			*bias = address - (headers[i].p_vaddr - headers[i].p_vaddr % page) -
				(offset - start);
			return true;
		}
	}
	return false;
}

static bool read_headers(const struct source *source, uint64_t address, uint64_t offset,
			 Elf64_Phdr headers[HEADERS_MAX], size_t *count, uint64_t *entry)
{
	Elf64_Ehdr header;
	/* In memory the file's beginning is where the bytes before this part would lie. */
	bool begun = source->fd >= 0 ? pread(source->fd, &header, sizeof header, 0) == sizeof header
				     : memory_read(source->memory, address - offset, sizeof header,
						   &header);

	if (!begun || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_machine != this_machine.elf_machine || header.e_phentsize != sizeof *headers ||
	    header.e_phnum > HEADERS_MAX)
		return false;
	*count = header.e_phnum;
	*entry = header.e_entry;
	size_t size = *count * sizeof *headers;

	if (source->fd >= 0)
		return pread(source->fd, headers, size, (off_t)header.e_phoff) == (ssize_t)size;
	return memory_read(source->memory, address - offset + header.e_phoff, size, headers);
}

void elf_headers_read(struct image *image, struct memory *memory, uint64_t address, uint64_t offset)
{
	Elf64_Phdr headers[HEADERS_MAX];
	struct source source = {.fd = -1, .memory = memory, .headers = headers};
	bool has_interpreter = false;

	if (image->file)
		source.fd = open_regular(image->file);
	if (read_headers(&source, address, offset, headers, &source.count, &image->cfi.entry) &&
	    find_bias(headers, source.count, address, offset, &image->bias)) {
		source.bias = image->bias;
		for (size_t i = 0; i < source.count; i++) {
			if (headers[i].p_type == PT_GNU_EH_FRAME && !image->cfi.header)
				read_cfi(&source, &headers[i], &image->cfi);
			has_interpreter |= headers[i].p_type == PT_INTERP;
			if (headers[i].p_type == PT_GNU_RELRO) {
				image->relro = headers[i].p_vaddr;
				image->relro_size = headers[i].p_memsz;
			}
			if (headers[i].p_type == PT_NOTE && !image->build_id[0])
				read_build_id(&source, &headers[i], image->build_id);
		}
	}
	if (!image->cfi.frames)
		read_section(&source, &image->cfi);
	list_entries(&image->cfi);
	/* A static program has the C library inside. */
	image->cfi.begins_threads =
		image->kind == IMAGE_SYSTEM || (image->cfi.entry && !has_interpreter);
	if (source.fd >= 0)
		close(source.fd);
}

bool elf_headers_contradict(const struct image *image, struct memory *memory, uint64_t address,
			    uint64_t offset)
{
	Elf64_Phdr headers[HEADERS_MAX];
	const struct source source = {.fd = image->file ? open_regular(image->file) : -1,
				      .memory = memory};
	size_t count;
	uint64_t entry, bias = image->bias;

	if (read_headers(&source, address, offset, headers, &count, &entry))
		find_bias(headers, count, address, offset, &bias);
	if (source.fd >= 0)
		close(source.fd);
	return bias != image->bias;
}

void elf_headers_release(struct image *image)
{
	free((void *)(uintptr_t)image->cfi.header);
	free((void *)(uintptr_t)image->cfi.frames);
	free(image->cfi.lines);
	image->cfi = (struct cfi){0};
}
