/* SPDX-License-Identifier: Apache-2.0 */
#include "target/image.h"

#include <elf.h>
#include <string.h>

#include "target/callbacks.h"
#include "target/limits.h"
#include "target/text.h"

/* Offsets of the members that differ between the two ELF classes. */
struct elf_class {
	unsigned eh_size, phoff, phentsize, phnum;             /* the ELF header */
	unsigned ph_size, p_flags, p_offset, p_vaddr, p_memsz; /* in a program header */
	unsigned sym_size, st_value, st_info, st_shndx;        /* in a symbol */
};

/* The same in both. */
#define E_MACHINE 18

static const struct elf_class elf32 = {52, 28, 42, 44, 32, 24, 4, 8, 20, 16, 4, 12, 14};
static const struct elf_class elf64 = {64, 32, 54, 56, 56, 4, 8, 16, 40, 24, 8, 4, 6};

static const struct elf_class *class_of(const struct target *target)
{
	return target->sizes.sizeof_pointer == 4 ? &elf32 : &elf64;
}

static uint64_t word_at(const struct target *target, const uint8_t *bytes)
{
	return target_decode(target, bytes, target->sizes.sizeof_pointer);
}

/* glibc relocates the pointers of a dynamic section in place, other linkers leave them as in the file. */
static target_addr relocated(const struct image *image, uint64_t pointer)
{
	return pointer < image->bias ? pointer + image->bias : pointer;
}

static ompd_rc_t read_dynamic_section(struct image *image)
{
	const struct target *target = image->target;
	const size_t width = target->sizes.sizeof_pointer;
	const size_t chunk = 32; /* entries: one read takes in what libraries have */
	uint8_t bytes[32 * 16];

	for (unsigned first = 0; first < DYNAMIC_ENTRIES_MAX; first += (unsigned)chunk) {
		size_t count = chunk;
		ompd_rc_t rc = target_read(target, image->dynamic + first * 2 * width,
					   count * 2 * width, bytes);

		/* The section may end right before unmapped memory. */
		while (rc == ompd_rc_error && count > 1) {
			count /= 2;
			rc = target_read(target, image->dynamic + first * 2 * width,
					 count * 2 * width, bytes);
		}
		if (rc != ompd_rc_ok)
			return rc;
		for (size_t i = 0; i < count; i++) {
			const uint64_t tag = word_at(target, bytes + i * 2 * width);
			const uint64_t value = word_at(target, bytes + (i * 2 + 1) * width);

			if (tag == DT_NULL)
				return ompd_rc_ok;
			if (tag == DT_SYMTAB)
				image->symtab = relocated(image, value);
			else if (tag == DT_STRTAB)
				image->strtab = relocated(image, value);
			else if (tag == DT_STRSZ)
				image->strtab_size = value;
			else if (tag == DT_GNU_HASH)
				image->gnu_hash = relocated(image, value);
			else if (tag == DT_HASH)
				image->sysv_hash = relocated(image, value);
			else if (tag == DT_VERDEF)
				image->versions = relocated(image, value);
			else if (tag == DT_VERDEFNUM)
				image->version_count = value;
			else if (tag == DT_RELA)
				image->relocations = relocated(image, value);
			else if (tag == DT_RELASZ)
				image->relocations_size = value;
			else if (tag == DT_DEBUG)
				image->debug = value;
		}
		if (count < chunk)
			return ompd_rc_error;
	}
	return ompd_rc_incompatible;
}

static void add_segment(struct image *image, uint64_t flags, target_addr start, uint64_t size)
{
	const struct address_range range = {start, start + size};

	if (size == 0 || range.end < range.start)
		return;
	if (image->extent.end == 0 || range.start < image->extent.start)
		image->extent.start = range.start;
	if (range.end > image->extent.end)
		image->extent.end = range.end;
	if ((flags & PF_W) && image->writable_count < IMAGE_WRITABLE_MAX)
		image->writable[image->writable_count++] = range;
}

static void read_build_id(struct image *image, const uint8_t *note, size_t size)
{
	const size_t header = 12;
	size_t at = 0;

	while (at + header <= size) {
		const uint64_t name_size = target_decode(image->target, note + at, 4);
		const uint64_t text_size = target_decode(image->target, note + at + 4, 4);
		const uint64_t type = target_decode(image->target, note + at + 8, 4);
		const size_t name = at + header;
		const uint64_t text = name + ((name_size + 3) & ~UINT64_C(3));

		if (name_size > size || text_size > size || text + text_size > size)
			return;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && text_size <= BUILD_ID_MAX &&
		    memcmp(note + name, "GNU", 4) == 0) {
			memcpy(image->build_id, note + text, (size_t)text_size);
			image->build_id_length = (unsigned)text_size;
			return;
		}
		at = (size_t)(text + ((text_size + 3) & ~UINT64_C(3)));
	}
}

/* The start of an image: the ELF header, the program headers, and as a rule the build-id. */
struct head {
	uint8_t bytes[2048];
	size_t of_file; /* so many are those that the file begins with; 0: only the headers are here */
	const uint8_t *headers; /* the program headers, in bytes */
	size_t count;
};

/* A program header. */
struct segment {
	uint64_t type, flags, offset, size;
	target_addr start;
};

static bool is_elf_header(const struct target *target, const uint8_t *header)
{
	const uint8_t class = target->sizes.sizeof_pointer == 4 ? ELFCLASS32 : ELFCLASS64;

	return memcmp(header, ELFMAG, SELFMAG) == 0 && header[EI_CLASS] == class;
}

/* incompatible: no ELF header of the target's kind is there. */
static ompd_rc_t read_head(const struct image *image, target_addr address, struct head *ret)
{
	const struct target *target = image->target;
	const struct elf_class *class = class_of(target);
	const size_t size = sizeof(ret->bytes);
	uint64_t table, count;
	ompd_rc_t rc = target_read(target, address, size, ret->bytes);

	if (rc != ompd_rc_ok)
		return rc;
	if (!is_elf_header(target, ret->bytes))
		return ompd_rc_incompatible;
	table = word_at(target, ret->bytes + class->phoff);
	count = target_decode(target, ret->bytes + class->phnum, 2);
	if (target_decode(target, ret->bytes + class->phentsize, 2) != class->ph_size ||
	    count > PROGRAM_HEADERS_MAX || table > size || table + count * class->ph_size > size)
		return ompd_rc_incompatible;
	ret->of_file = size;
	ret->headers = ret->bytes + table;
	ret->count = (size_t)count;
	return ompd_rc_ok;
}

/* Of the program headers alone. */
static ompd_rc_t read_table(const struct image *image, target_addr address, uint64_t count,
			    struct head *ret)
{
	const unsigned size = class_of(image->target)->ph_size;

	if (count == 0 || count > sizeof(ret->bytes) / size)
		return ompd_rc_incompatible;
	ret->of_file = 0;
	ret->headers = ret->bytes;
	ret->count = (size_t)count;
	return target_read(image->target, address, ret->count * size, ret->bytes);
}

static struct segment segment_at(const struct image *image, const struct head *head, size_t index)
{
	const struct target *target = image->target;
	const struct elf_class *class = class_of(target);
	const uint8_t *header = head->headers + index * class->ph_size;
	const struct segment segment = {
		.type = target_decode(target, header, 4),
		.flags = target_decode(target, header + class->p_flags, 4),
		.offset = word_at(target, header + class->p_offset),
		.size = word_at(target, header + class->p_memsz),
		.start = image->bias + word_at(target, header + class->p_vaddr),
	};

	return segment;
}

/* Whether the head that was read at this address is the image's: it says that it lies there, and where the
 * dynamic section is. */
static bool is_head_of(const struct image *image, const struct head *head, target_addr address)
{
	bool here = false, dynamic = false;

	for (size_t i = 0; i < head->count; i++) {
		const struct segment segment = segment_at(image, head, i);

		here = here ||
		       (segment.type == PT_LOAD && segment.offset == 0 && segment.start == address);
		dynamic =
			dynamic || (segment.type == PT_DYNAMIC && segment.start == image->dynamic);
	}
	return here && dynamic;
}

/* The lowest of the tables that the dynamic section names; 0: none. */
static target_addr first_table(const struct image *image)
{
	const target_addr tables[] = {image->symtab, image->strtab, image->gnu_hash,
				      image->sysv_hash};
	target_addr first = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (tables[i] && (first == 0 || tables[i] < first))
			first = tables[i];
	}
	return first;
}

/* The addresses in a library's file, or in a PIE's, begin at 0: its head lies at the load bias. In other
 * programs, whose bias is 0, and in prelinked libraries it lies some pages before the tables. */
static ompd_rc_t find_head(const struct image *image, unsigned *pages, struct head *ret)
{
	const target_addr page = 4096;
	target_addr at = first_table(image) & ~(page - 1);
	const ompd_rc_t at_bias =
		read_head(image, image->header ? image->header : image->bias, ret);

	if (at_bias != ompd_rc_error && at_bias != ompd_rc_incompatible)
		return at_bias;
	for (unsigned i = 0; i < HEADER_PAGES_MAX && *pages && at; i++, at -= page) {
		const ompd_rc_t rc = read_head(image, at, ret);

		--*pages;
		if (rc == ompd_rc_ok && is_head_of(image, ret, at))
			return rc;
		if (rc != ompd_rc_ok && rc != ompd_rc_error && rc != ompd_rc_incompatible)
			return rc;
	}
	return at_bias;
}

static void read_note(struct image *image, const struct head *head, const struct segment *segment)
{
	uint8_t note[512];

	if (segment->offset < head->of_file && segment->size <= head->of_file - segment->offset)
		read_build_id(image, head->bytes + segment->offset, (size_t)segment->size);
	else if (segment->size <= sizeof(note) &&
		 target_read(image->target, segment->start, (size_t)segment->size, note) ==
			 ompd_rc_ok)
		read_build_id(image, note, (size_t)segment->size);
}

/* By where the head lies, and where the image says that it does. */
static bool rebase(struct image *image, const struct head *head)
{
	image->bias = 0;
	for (size_t i = 0; i < head->count; i++) {
		const struct segment segment = segment_at(image, head, i);

		if (segment.type != PT_LOAD || segment.offset != 0)
			continue;
		image->bias = image->header - segment.start;
		return true;
	}
	return false;
}

static ompd_rc_t take_segments(struct image *image, const struct head *head)
{
	for (size_t i = 0; i < head->count; i++) {
		const struct segment segment = segment_at(image, head, i);

		if (segment.type == PT_LOAD)
			add_segment(image, segment.flags, segment.start, segment.size);
		else if (segment.type == PT_DYNAMIC && image->dynamic == 0)
			image->dynamic = segment.start;
		else if (segment.type == PT_INTERP)
			image->interpreted = true;
		else if (segment.type == PT_TLS)
			image->thread_local_size = segment.size;
		else if (segment.type == PT_NOTE && image->build_id_length == 0)
			read_note(image, head, &segment);
	}
	return image->extent.end ? ompd_rc_ok : ompd_rc_incompatible;
}

ompd_rc_t image_read_headers_within(struct image *image, unsigned *pages)
{
	struct head head;
	const ompd_rc_t rc = find_head(image, pages, &head);

	if (rc != ompd_rc_ok)
		return rc;
	image->machine = (uint16_t)target_decode(image->target, head.bytes + E_MACHINE, 2);
	if (image->header && !rebase(image, &head))
		return ompd_rc_incompatible;
	return take_segments(image, &head);
}

ompd_rc_t image_read_headers(struct image *image)
{
	unsigned pages = HEADER_PAGES_MAX;

	return image_read_headers_within(image, &pages);
}

/* By how much a program was moved whose table of headers lies at this address. One that does not say where its table
 * is has it, as a rule, right behind the ELF header. */
static ompd_rc_t find_bias(struct image *image, const struct head *head, target_addr table)
{
	const target_addr header = table - class_of(image->target)->eh_size;
	uint8_t start[EI_NIDENT];
	ompd_rc_t rc;

	for (size_t i = 0; i < head->count; i++) {
		const struct segment segment = segment_at(image, head, i);

		if (segment.type == PT_PHDR) {
			image->bias = table - segment.start;
			return ompd_rc_ok;
		}
	}
	rc = target_read(image->target, header, sizeof(start), start);
	if (rc == ompd_rc_ok && is_elf_header(image->target, start)) {
		image->header = header;
		(void)rebase(image, head);
		image->header = 0;
	}
	return rc == ompd_rc_error ? ompd_rc_ok : rc;
}

ompd_rc_t image_open_program(struct image *image, const struct target *target, target_addr table,
			     uint64_t count)
{
	struct head head;
	ompd_rc_t rc;

	image_open_nameless(image, target);
	rc = read_table(image, table, count, &head);
	if (rc == ompd_rc_ok)
		rc = find_bias(image, &head, table);
	if (rc == ompd_rc_ok)
		rc = take_segments(image, &head);
	if (rc != ompd_rc_ok || image->dynamic == 0)
		return rc;
	rc = read_dynamic_section(image);
	return rc == ompd_rc_error || rc == ompd_rc_incompatible ? ompd_rc_ok : rc;
}

ompd_rc_t image_open(struct image *image, const struct target *target, target_addr bias,
		     target_addr dynamic, const char *path)
{
	ompd_rc_t rc;

	memset(image, 0, sizeof(*image));
	image->target = target;
	image->bias = bias;
	image->dynamic = dynamic;
	text_copy(image->path, sizeof(image->path), path ? path : "");
	if (dynamic == 0) {
		image->header = bias;
		rc = image_read_headers(image);
		if (rc != ompd_rc_ok || image->dynamic == 0)
			return rc;
	}
	return read_dynamic_section(image);
}

void image_open_nameless(struct image *image, const struct target *target)
{
	memset(image, 0, sizeof(*image));
	image->target = target;
}

void image_close(struct image *image)
{
	callback_free(image->hash_words);
	image->hash_words = NULL;
}

/* Whether symbol number `index` has this name and is defined here; *ret its address. */
static ompd_rc_t match_symbol(const struct image *image, uint64_t index, const char *name,
			      bool *matches, target_addr *ret)
{
	const struct target *target = image->target;
	const struct elf_class *class = class_of(target);
	const size_t length = strlen(name) + 1;
	uint8_t symbol[24];
	char found[SYMBOL_NAME_MAX];
	uint64_t at;
	ompd_rc_t rc;

	*matches = false;
	rc = target_read(target, image->symtab + index * class->sym_size, class->sym_size, symbol);
	if (rc != ompd_rc_ok)
		return rc;
	at = target_decode(target, symbol, 4);
	if (length > sizeof(found) || at >= image->strtab_size || length > image->strtab_size - at)
		return ompd_rc_ok;
	if (target_decode(target, symbol + class->st_shndx, 2) == SHN_UNDEF ||
	    ELF64_ST_TYPE(symbol[class->st_info]) == STT_TLS)
		return ompd_rc_ok;
	rc = target_read(target, image->strtab + at, length, found);
	if (rc != ompd_rc_ok)
		return rc;
	*matches = memcmp(found, name, length) == 0;
	*ret = image->bias + word_at(target, symbol + class->st_value);
	return ompd_rc_ok;
}

static uint32_t gnu_hash_of(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

static uint32_t sysv_hash_of(const char *name)
{
	uint32_t hash = 0;

	while (*name) {
		const uint32_t next = (hash << 4) + (unsigned char)*name++;
		const uint32_t high = next & UINT32_C(0xf0000000);

		hash = (next ^ (high >> 24)) & ~high;
	}
	return hash;
}

static size_t bloom_bytes(const struct image *image)
{
	return (size_t)image->bloom_count * image->target->sizes.sizeof_pointer;
}

static ompd_rc_t read_hash_head(struct image *image)
{
	const struct target *target = image->target;
	uint8_t header[16];
	uint64_t size;
	void *words = NULL;
	ompd_rc_t rc = target_read(target, image->gnu_hash, sizeof(header), header);

	if (rc != ompd_rc_ok)
		return rc;
	image->bucket_count = (uint32_t)target_decode(target, header, 4);
	image->first_symbol = (uint32_t)target_decode(target, header + 4, 4);
	image->bloom_count = (uint32_t)target_decode(target, header + 8, 4);
	image->bloom_shift = (uint32_t)target_decode(target, header + 12, 4) & 31;
	if (image->bucket_count == 0 || image->bucket_count > HASH_WORDS_MAX ||
	    image->bloom_count == 0 || image->bloom_count > HASH_WORDS_MAX)
		return ompd_rc_incompatible;
	size = bloom_bytes(image) + (uint64_t)image->bucket_count * 4;
	image->names_cost += 2 + (uint32_t)(size / 1024);
	rc = callback_alloc(1, size, &words);
	if (rc != ompd_rc_ok)
		return rc;
	rc = target_read(target, image->gnu_hash + sizeof(header), (size_t)size, words);
	if (rc == ompd_rc_ok)
		image->hash_words = words;
	else
		callback_free(words);
	return rc;
}

static bool bloom_admits(const struct image *image, uint32_t hash)
{
	const unsigned width = image->target->sizes.sizeof_pointer;
	const unsigned bits = width * 8;
	const uint8_t *words = (const uint8_t *)image->hash_words;
	const uint64_t word = target_decode(
		image->target, words + (size_t)((hash / bits) % image->bloom_count) * width, width);

	return (word >> (hash % bits)) & (word >> ((hash >> image->bloom_shift) % bits)) & 1;
}

static ompd_rc_t find_by_gnu_hash(struct image *image, const char *name, target_addr *ret)
{
	const struct target *target = image->target;
	const uint32_t hash = gnu_hash_of(name);
	target_addr chains;
	uint64_t symbol;
	ompd_rc_t rc;

	if (!image->hash_words) {
		rc = read_hash_head(image);
		if (rc != ompd_rc_ok)
			return rc;
	}
	if (!bloom_admits(image, hash))
		return ompd_rc_unavailable;
	symbol = target_decode(target,
			       (const uint8_t *)image->hash_words + bloom_bytes(image) +
				       (size_t)(hash % image->bucket_count) * 4,
			       4);
	if (symbol < image->first_symbol)
		return ompd_rc_unavailable;
	chains = image->gnu_hash + 16 + bloom_bytes(image) + (uint64_t)image->bucket_count * 4;
	for (unsigned i = 0; i < HASH_CHAIN_MAX; i++, symbol++) {
		const target_addr link = chains + (symbol - image->first_symbol) * 4;
		uint64_t linked;

		image->names_cost++;
		rc = target_read_unsigned(target, link, 4, &linked);
		if (rc != ompd_rc_ok)
			return rc;
		/* The lowest bit marks the chain's end and is no part of the hash. */
		if ((linked | 1) == (hash | 1)) {
			bool matches;

			rc = match_symbol(image, symbol, name, &matches, ret);
			if (rc != ompd_rc_ok || matches)
				return rc;
		}
		if (linked & 1)
			break;
	}
	return ompd_rc_unavailable;
}

static ompd_rc_t find_by_sysv_hash(struct image *image, const char *name, target_addr *ret)
{
	const struct target *target = image->target;
	uint8_t header[8];
	uint64_t bucket_count, symbol_count, symbol;
	ompd_rc_t rc = target_read(target, image->sysv_hash, sizeof(header), header);

	if (rc != ompd_rc_ok)
		return rc;
	bucket_count = target_decode(target, header, 4);
	symbol_count = target_decode(target, header + 4, 4);
	if (bucket_count == 0)
		return ompd_rc_incompatible;
	rc = target_read_unsigned(
		target, image->sysv_hash + 8 + 4 * (sysv_hash_of(name) % bucket_count), 4, &symbol);
	for (unsigned i = 0; rc == ompd_rc_ok && i < HASH_CHAIN_MAX; i++) {
		bool matches;

		if (symbol == STN_UNDEF || symbol >= symbol_count)
			return ompd_rc_unavailable;
		image->names_cost += 3;
		rc = match_symbol(image, symbol, name, &matches, ret);
		if (rc != ompd_rc_ok || matches)
			return rc;
		rc = target_read_unsigned(
			target, image->sysv_hash + 8 + 4 * (bucket_count + symbol), 4, &symbol);
	}
	return rc == ompd_rc_ok ? ompd_rc_unavailable : rc;
}

ompd_rc_t image_exported(struct image *image, const char *name, target_addr *ret)
{
	if (image->symtab == 0 || image->strtab == 0)
		return ompd_rc_unavailable;
	if (image->gnu_hash)
		return find_by_gnu_hash(image, name, ret);
	if (image->sysv_hash)
		return find_by_sysv_hash(image, name, ret);
	return ompd_rc_unavailable;
}

ompd_rc_t image_symbol(struct image *image, const char *name, target_addr *ret)
{
	target_addr found;
	ompd_rc_t rc = image_exported(image, name, ret);

	if (rc != ompd_rc_unavailable && rc != ompd_rc_error && rc != ompd_rc_incompatible)
		return rc;
	rc = target_symbol(image->target, name, image->path[0] ? image->path : NULL, &found);
	if (rc != ompd_rc_ok)
		return rc;
	if (image->dynamic && image->extent.end == 0) {
		rc = image_read_headers(image);
		if (rc != ompd_rc_ok)
			return rc == ompd_rc_incompatible ? ompd_rc_unavailable : rc;
	}
	if (image->extent.end && !image_contains(image, found)) {
		diagnostics_note(image->target->diagnostics, DIAGNOSTIC_symbol_outside_image, name);
		return ompd_rc_unavailable;
	}
	*ret = found;
	return ompd_rc_ok;
}

bool image_has_names(const struct image *image)
{
	const target_addr last = image->strtab + image->strtab_size - 1;
	uint8_t byte;

	if (image->dynamic == 0)
		return true;
	return image->strtab && image->strtab_size &&
	       target_read(image->target, image->strtab, 1, &byte) == ompd_rc_ok &&
	       target_read(image->target, last, 1, &byte) == ompd_rc_ok;
}

bool image_contains(const struct image *image, target_addr address)
{
	return address >= image->extent.start && address < image->extent.end;
}

bool image_writable(const struct image *image, target_addr address, size_t size)
{
	for (unsigned i = 0; i < image->writable_count; i++) {
		if (address >= image->writable[i].start && address + size <= image->writable[i].end)
			return true;
	}
	return false;
}
