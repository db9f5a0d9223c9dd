/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define LINKER_BASE UINT64_C(0xe0000000)
#define SYMBOLS_MAX 512
#define BUCKETS 17
#define BLOOM_WORDS 4
#define BLOOM_SHIFT 6

/* Where the next table goes, inside the text segment. */
struct layout {
	struct fake_target *target;
	const struct fake_elf *elf;
	unsigned width;
	uint64_t next;
	uint64_t origin; /* of the addresses in the file */
};

/* A symbol table that is being made: in hash order, after the null symbol and one import. */
struct table {
	const struct fake_export *order[SYMBOLS_MAX];
	uint64_t names[SYMBOLS_MAX];
	unsigned count;
};

#define FIRST_EXPORT 2

static uint64_t aligned(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

static uint64_t place(struct layout *layout, uint64_t size)
{
	const uint64_t at = layout->next;

	layout->next = aligned(at + size, 8);
	if (layout->next > layout->elf->base + fake_elf_data_offset(layout->elf->text_size))
		abort();
	return at;
}

uint64_t fake_elf_data_offset(uint64_t text_size)
{
	return aligned(text_size, FAKE_PAGE);
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

static uint32_t sysv_hash(const char *name)
{
	uint32_t hash = 0;

	for (; *name; name++) {
		hash = (hash << 4) + (uint8_t)*name;
		hash ^= (hash & 0xf0000000u) >> 24;
		hash &= 0x0fffffffu;
	}
	return hash;
}

static uint64_t add_string(struct layout *layout, uint64_t strings, uint64_t *size,
			   const char *string)
{
	const uint64_t at = *size;

	fake_put_string(layout->target, strings + at, string);
	*size += strlen(string) + 1;
	return at;
}

/* Exports sorted by bucket, as DT_GNU_HASH wants them. */
static void sort_by_bucket(struct table *table, const struct fake_elf *elf)
{
	for (uint32_t bucket = 0; bucket < BUCKETS; bucket++) {
		for (size_t i = 0; i < elf->export_count; i++) {
			if (gnu_hash(elf->exports[i].name) % BUCKETS == bucket)
				table->order[table->count++] = &elf->exports[i];
		}
	}
}

static void put_symbol(const struct layout *layout, uint64_t symtab, unsigned index, uint64_t name,
		       uint64_t value, unsigned section)
{
	struct fake_target *target = layout->target;
	const uint8_t info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);

	if (layout->width == 8) {
		const uint64_t at = symtab + index * UINT64_C(24);

		fake_put(target, at, 4, name);
		fake_put(target, at + 4, 1, info);
		fake_put(target, at + 6, 2, section);
		fake_put(target, at + 8, 8, value);
		fake_put(target, at + 16, 8, 16);
	} else {
		const uint64_t at = symtab + index * UINT64_C(16);

		fake_put(target, at, 4, name);
		fake_put(target, at + 4, 4, value);
		fake_put(target, at + 8, 4, 16);
		fake_put(target, at + 12, 1, info);
		fake_put(target, at + 14, 2, section);
	}
}

static uint64_t put_gnu_hash(struct layout *layout, const struct table *table)
{
	struct fake_target *target = layout->target;
	const unsigned bits = layout->width * 8;
	const uint64_t at = place(layout, 16 + BLOOM_WORDS * (uint64_t)layout->width + 4 * BUCKETS +
						  4 * (uint64_t)table->count);
	const uint64_t buckets = at + 16 + BLOOM_WORDS * (uint64_t)layout->width;
	const uint64_t chains = buckets + UINT64_C(4) * BUCKETS;

	fake_put(target, at, 4, BUCKETS);
	fake_put(target, at + 4, 4, FIRST_EXPORT);
	fake_put(target, at + 8, 4, BLOOM_WORDS);
	fake_put(target, at + 12, 4, BLOOM_SHIFT);
	for (unsigned i = 0; i < table->count; i++) {
		const uint32_t hash = gnu_hash(table->order[i]->name);
		const uint64_t word =
			at + 16 + (uint64_t)(hash / bits % BLOOM_WORDS) * layout->width;
		const uint64_t bucket = buckets + UINT64_C(4) * (hash % BUCKETS);
		const bool last = i + 1 == table->count ||
				  gnu_hash(table->order[i + 1]->name) % BUCKETS != hash % BUCKETS;
		uint64_t bloom = fake_get(target, word, layout->width);

		bloom |= UINT64_C(1) << hash % bits | UINT64_C(1) << (hash >> BLOOM_SHIFT) % bits;
		fake_put(target, word, layout->width, bloom);
		if (fake_get(target, bucket, 4) == 0)
			fake_put(target, bucket, 4, FIRST_EXPORT + i);
		fake_put(target, chains + UINT64_C(4) * i, 4, (hash & ~1u) | last);
	}
	return at;
}

static uint64_t put_sysv_hash(struct layout *layout, const struct table *table)
{
	struct fake_target *target = layout->target;
	const unsigned symbols = FIRST_EXPORT + table->count;
	const uint64_t at = place(layout, 8 + 4 * BUCKETS + 4 * (uint64_t)symbols);
	const uint64_t chains = at + 8 + UINT64_C(4) * BUCKETS;

	fake_put(target, at, 4, BUCKETS);
	fake_put(target, at + 4, 4, symbols);
	for (unsigned i = 0; i < table->count; i++) {
		const uint64_t bucket =
			at + 8 + UINT64_C(4) * (sysv_hash(table->order[i]->name) % BUCKETS);

		fake_put(target, chains + UINT64_C(4) * (FIRST_EXPORT + i), 4,
			 fake_get(target, bucket, 4));
		fake_put(target, bucket, 4, FIRST_EXPORT + i);
	}
	return at;
}

/* The definitions of symbol versions; returns their number through count. */
static uint64_t put_versions(struct layout *layout, uint64_t strings, uint64_t *string_size,
			     unsigned *count)
{
	struct fake_target *target = layout->target;
	const char *const *names = layout->elf->versions;
	uint64_t at;

	*count = 0;
	while (names[*count])
		(*count)++;
	at = place(layout, *count * UINT64_C(28));
	for (unsigned i = 0; i < *count; i++) {
		const uint64_t definition = at + i * UINT64_C(28);

		fake_put(target, definition, 2, 1);
		fake_put(target, definition + 2, 2, i == 0 ? VER_FLG_BASE : 0);
		fake_put(target, definition + 4, 2, i + 1);
		fake_put(target, definition + 6, 2, 1);
		fake_put(target, definition + 8, 4, sysv_hash(names[i]));
		fake_put(target, definition + 12, 4, 20);
		fake_put(target, definition + 16, 4, i + 1 < *count ? 28 : 0);
		fake_put(target, definition + 20, 4,
			 add_string(layout, strings, string_size, names[i]));
	}
	return at;
}

/* A relocation of another variable, then that of the first. */
static uint64_t put_relocations(struct layout *layout, uint64_t data)
{
	struct fake_target *target = layout->target;
	const uint64_t at = place(layout, 48);

	for (unsigned i = 0; i < 2; i++) {
		const uint64_t entry = at + i * UINT64_C(24);

		fake_put(target, entry, 8, data + layout->elf->tls_word + (i ? 0 : 8));
		fake_put(target, entry + 8, 8,
			 layout->elf->machine == EM_AARCH64 ? R_AARCH64_TLS_TPREL
							    : R_X86_64_TPOFF64);
		fake_put(target, entry + 16, 8, i ? 0 : layout->elf->tls_size - 8);
	}
	return at;
}

struct dynamic {
	uint64_t next;
	uint64_t bias; /* subtracted from addresses when the section was not relocated */
	unsigned width;
	struct fake_target *target;
};

static void put_entry(struct dynamic *dynamic, uint64_t tag, uint64_t value)
{
	fake_put(dynamic->target, dynamic->next, dynamic->width, tag);
	fake_put(dynamic->target, dynamic->next + dynamic->width, dynamic->width, value);
	dynamic->next += 2 * (uint64_t)dynamic->width;
}

static void put_address(struct dynamic *dynamic, uint64_t tag, uint64_t address)
{
	put_entry(dynamic, tag, address - dynamic->bias);
}

static void put_program_header(const struct layout *layout, uint64_t at, uint32_t type,
			       uint32_t flags, uint64_t offset, uint64_t size)
{
	struct fake_target *target = layout->target;
	const unsigned width = layout->width;
	const uint64_t address = offset + layout->origin;
	const uint64_t words[] = {offset, address, address, size, size};
	const uint64_t alignment = type == PT_LOAD ? FAKE_PAGE : 4;

	fake_put(target, at, 4, type);
	if (width == 8) {
		fake_put(target, at + 4, 4, flags);
		for (unsigned i = 0; i < 5; i++)
			fake_put(target, at + 8 + UINT64_C(8) * i, 8, words[i]);
		fake_put(target, at + 48, 8, alignment);
	} else {
		for (unsigned i = 0; i < 5; i++)
			fake_put(target, at + 4 + UINT64_C(4) * i, 4, words[i]);
		fake_put(target, at + 24, 4, flags);
		fake_put(target, at + 28, 4, alignment);
	}
}

static unsigned machine_of(const struct fake_elf *elf, bool wide)
{
	if (elf->machine)
		return elf->machine;
	return wide ? EM_X86_64 : EM_386;
}

static void put_header(const struct layout *layout, unsigned program_headers)
{
	struct fake_target *target = layout->target;
	const uint64_t base = layout->elf->base;
	const bool wide = layout->width == 8;
	const bool big_endian = fake_machine_of(target).big_endian;
	const uint8_t ident[EI_NIDENT] = {0x7f,
					  'E',
					  'L',
					  'F',
					  wide ? ELFCLASS64 : ELFCLASS32,
					  big_endian ? ELFDATA2MSB : ELFDATA2LSB,
					  EV_CURRENT};
	const uint64_t after = base + 24 + 3 * (uint64_t)layout->width; /* e_flags */

	fake_write(target, base, ident, sizeof(ident));
	fake_put(target, base + 16, 2, layout->elf->fixed ? ET_EXEC : ET_DYN);
	fake_put(target, base + 18, 2, machine_of(layout->elf, wide));
	fake_put(target, base + 20, 4, EV_CURRENT);
	fake_put(target, base + 24 + layout->width, layout->width, wide ? 64 : 52);
	fake_put(target, after + 4, 2, wide ? 64 : 52);
	fake_put(target, after + 6, 2, wide ? 56 : 32);
	fake_put(target, after + 8, 2, program_headers);
}

static uint64_t put_build_id(struct layout *layout, uint64_t *size)
{
	struct fake_target *target = layout->target;
	const struct fake_elf *elf = layout->elf;
	const uint64_t at = place(layout, 16 + elf->build_id_size);

	fake_put(target, at, 4, 4);
	fake_put(target, at + 4, 4, elf->build_id_size);
	fake_put(target, at + 8, 4, NT_GNU_BUILD_ID);
	fake_put_string(target, at + 12, "GNU");
	fake_write(target, at + 16, elf->build_id, elf->build_id_size);
	*size = 16 + elf->build_id_size;
	return at;
}

static void put_dynamic_section(struct layout *layout, uint64_t dynamic_address)
{
	const struct fake_elf *elf = layout->elf;
	struct fake_target *target = layout->target;
	struct dynamic dynamic = {dynamic_address, elf->unrelocated ? elf->base : 0, layout->width,
				  target};
	struct table table = {.count = 0};
	const uint64_t strings = place(layout, 64 * (elf->export_count + 8) + 1024);
	uint64_t string_size = 1, symtab, soname, imported;

	if (elf->export_count + FIRST_EXPORT > SYMBOLS_MAX)
		abort();
	sort_by_bucket(&table, elf);
	symtab = place(layout,
		       (uint64_t)(FIRST_EXPORT + table.count) * (layout->width == 8 ? 24 : 16));
	imported = add_string(layout, strings, &string_size, "malloc");
	put_symbol(layout, symtab, 1, imported, 0, SHN_UNDEF);
	for (unsigned i = 0; i < table.count; i++) {
		table.names[i] = add_string(layout, strings, &string_size, table.order[i]->name);
		put_symbol(layout, symtab, FIRST_EXPORT + i, table.names[i],
			   table.order[i]->offset + layout->origin, 12);
	}
	soname = add_string(layout, strings, &string_size, elf->soname ? elf->soname : "");

	put_entry(&dynamic, DT_NEEDED, imported);
	if (elf->soname)
		put_entry(&dynamic, DT_SONAME, soname);
	if (!elf->no_gnu_hash)
		put_address(&dynamic, DT_GNU_HASH, put_gnu_hash(layout, &table));
	if (elf->sysv_hash || elf->no_gnu_hash)
		put_address(&dynamic, DT_HASH, put_sysv_hash(layout, &table));
	if (elf->versions) {
		unsigned count;

		put_address(&dynamic, DT_VERDEF,
			    put_versions(layout, strings, &string_size, &count));
		put_entry(&dynamic, DT_VERDEFNUM, count);
	}
	if (elf->tls_size) {
		put_address(&dynamic, DT_RELA,
			    put_relocations(layout, dynamic_address - elf->base + layout->origin));
		put_entry(&dynamic, DT_RELASZ, 48);
	}
	put_address(&dynamic, DT_STRTAB, strings);
	put_address(&dynamic, DT_SYMTAB, symtab);
	put_entry(&dynamic, DT_STRSZ, string_size);
	put_entry(&dynamic, DT_SYMENT, layout->width == 8 ? 24 : 16);
	put_entry(&dynamic, DT_NULL, 0);
}

struct fake_image fake_elf_load(struct fake_target *target, const struct fake_elf *elf)
{
	struct layout layout = {target, elf, fake_machine_of(target).pointer_size, 0,
				elf->fixed ? elf->base : 0};
	const uint64_t data = fake_elf_data_offset(elf->text_size);
	const uint64_t header_size = layout.width == 8 ? 64 : 52;
	const unsigned header_stride = layout.width == 8 ? 56 : 32;
	struct fake_image image = {.path = elf->path,
				   .base = elf->base,
				   .bias = elf->base - layout.origin,
				   .end = elf->base + data + elf->data_size,
				   .dynamic = elf->base + data,
				   .data = elf->base + data,
				   .data_end = elf->base + data + elf->data_size};
	uint64_t headers, note, note_size;

	fake_map(target, elf->base, data);
	fake_map(target, image.data, elf->data_size);
	layout.next = elf->base + header_size;
	headers = place(&layout, 5 * (uint64_t)header_stride);
	put_header(&layout, 3u + (elf->build_id != NULL) + (elf->tls_size != 0));
	put_program_header(&layout, headers, PT_LOAD, PF_R | PF_X, 0, data);
	put_program_header(&layout, headers + header_stride, PT_LOAD, PF_R | PF_W, data,
			   elf->data_size);
	put_program_header(&layout, headers + 2 * header_stride, PT_DYNAMIC, PF_R | PF_W, data,
			   FAKE_DATA_HEADER);
	fake_put(target, elf->base + 24 + layout.width, layout.width, headers - elf->base);
	if (elf->build_id) {
		note = put_build_id(&layout, &note_size);
		put_program_header(&layout, headers + 3 * (uint64_t)header_stride, PT_NOTE, PF_R,
				   note - elf->base, note_size);
	}
	if (elf->tls_size)
		put_program_header(&layout,
				   headers + (elf->build_id ? 4 : 3) * (uint64_t)header_stride,
				   PT_TLS, PF_R, data, elf->tls_size);
	put_dynamic_section(&layout, image.dynamic);
	for (size_t i = 0; i < elf->export_count; i++)
		fake_add_symbol(target, elf->path, elf->exports[i].name,
				elf->base + elf->exports[i].offset);
	return image;
}

/* struct link_map: l_addr, l_name, l_ld, l_next, l_prev; struct r_debug: version, r_map, r_brk, r_state,
 * r_ldbase. */
uint64_t fake_link_map(struct fake_target *target, const struct fake_image *images, size_t count)
{
	const uint64_t width = fake_machine_of(target).pointer_size;
	const uint64_t entries = LINKER_BASE + FAKE_LINK_MAP_STRIDE;

	fake_map(target, LINKER_BASE, aligned((count + 2) * FAKE_LINK_MAP_STRIDE, FAKE_PAGE));
	fake_add_symbol(target, "/lib/ld-linux.so.2", "_r_debug", LINKER_BASE);
	fake_put(target, LINKER_BASE, 4, 1);
	fake_put_pointer(target, LINKER_BASE + width, entries);
	for (size_t i = 0; i < count; i++) {
		const uint64_t entry = entries + i * FAKE_LINK_MAP_STRIDE;
		const uint64_t name = entry + 5 * width;

		fake_put_pointer(target, entry, images[i].bias);
		fake_put_pointer(target, entry + width, name);
		fake_put_pointer(target, entry + 2 * width, images[i].dynamic);
		fake_put_pointer(target, entry + 3 * width,
				 i + 1 < count ? entry + FAKE_LINK_MAP_STRIDE : 0);
		fake_put_pointer(target, entry + 4 * width,
				 i > 0 ? entry - FAKE_LINK_MAP_STRIDE : 0);
		/* The executable, which stands first, has no name there. */
		fake_put_string(target, name, i == 0 ? "" : images[i].path);
	}
	return entries;
}
