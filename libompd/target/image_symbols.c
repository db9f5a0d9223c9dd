/* SPDX-License-Identifier: Apache-2.0 */
#include "target/image_symbols.h"

#include <elf.h>

/* A GNU hash table names no count: the last symbol is at the end of the chain that begins last. */
static ompd_rc_t bounds_by_gnu_hash(const struct image *image, uint64_t *first, uint64_t *end)
{
	enum { HEADER = 16, WORDS = 64 };
	const struct target *target = image->target;
	const unsigned width = target->sizes.sizeof_pointer;
	uint8_t words[WORDS * 4];
	uint64_t buckets, bloom, last = 0;
	target_addr at;
	ompd_rc_t rc = target_read(target, image->gnu_hash, HEADER, words);

	if (rc != ompd_rc_ok)
		return rc;
	buckets = target_decode(target, words, 4);
	*first = *end = target_decode(target, words + 4, 4);
	bloom = target_decode(target, words + 8, 4);
	if (buckets > HASH_WORDS_MAX || bloom > HASH_WORDS_MAX)
		return ompd_rc_incompatible;
	at = image->gnu_hash + HEADER + bloom * width;
	for (uint64_t i = 0; i < buckets; i += WORDS) {
		const size_t here = buckets - i < WORDS ? (size_t)(buckets - i) : WORDS;

		rc = target_read(target, at + i * 4, here * 4, words);
		if (rc != ompd_rc_ok)
			return rc;
		for (size_t j = 0; j < here; j++) {
			const uint64_t symbol = target_decode(target, words + j * 4, 4);

			last = symbol > last ? symbol : last;
		}
	}
	if (last < *first)
		return ompd_rc_ok;
	at += buckets * 4;
	for (unsigned i = 0; i < HASH_CHAIN_MAX; i++, last++) {
		uint64_t link;

		rc = target_read_unsigned(target, at + (last - *first) * 4, 4, &link);
		if (rc != ompd_rc_ok)
			return rc;
		if (link & 1)
			break;
	}
	*end = last + 1;
	return ompd_rc_ok;
}

static ompd_rc_t bounds(const struct image *image, uint64_t *first, uint64_t *end)
{
	if (image->symtab == 0 || image->strtab == 0)
		return ompd_rc_unavailable;
	if (image->gnu_hash)
		return bounds_by_gnu_hash(image, first, end);
	if (image->sysv_hash == 0)
		return ompd_rc_unavailable;
	*first = 1; /* behind the one that stands for none */
	return target_read_unsigned(image->target, image->sysv_hash + 4, 4, end);
}

ompd_rc_t symbols_first(struct symbol_walk *walk, const struct image *image)
{
	const ompd_rc_t rc = bounds(image, &walk->next, &walk->end);

	walk->image = image;
	walk->held = 0;
	walk->held_count = 0;
	if (rc != ompd_rc_ok)
		return rc;
	if (walk->end < walk->next || walk->end - walk->next <= IMAGE_SYMBOLS_MAX)
		return ompd_rc_ok;
	walk->end = walk->next + IMAGE_SYMBOLS_MAX;
	return ompd_rc_incomplete;
}

/* The members of a symbol, which differ in place between the two ELF classes. */
struct symbol {
	uint64_t name, address, size, section;
	uint8_t info;
};

static size_t symbol_size(const struct image *image)
{
	return image->target->sizes.sizeof_pointer == 4 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
}

static struct symbol decode(const struct image *image, const uint8_t *bytes)
{
	const struct target *target = image->target;
	struct symbol symbol = {.name = target_decode(target, bytes, 4)};

	if (target->sizes.sizeof_pointer == 4) {
		symbol.address = target_decode(target, bytes + offsetof(Elf32_Sym, st_value), 4);
		symbol.size = target_decode(target, bytes + offsetof(Elf32_Sym, st_size), 4);
		symbol.section = target_decode(target, bytes + offsetof(Elf32_Sym, st_shndx), 2);
		symbol.info = bytes[offsetof(Elf32_Sym, st_info)];
	} else {
		symbol.address = target_decode(target, bytes + offsetof(Elf64_Sym, st_value), 8);
		symbol.size = target_decode(target, bytes + offsetof(Elf64_Sym, st_size), 8);
		symbol.section = target_decode(target, bytes + offsetof(Elf64_Sym, st_shndx), 2);
		symbol.info = bytes[offsetof(Elf64_Sym, st_info)];
	}
	return symbol;
}

static ompd_rc_t symbol_at(struct symbol_walk *walk, uint64_t index, struct symbol *ret)
{
	const size_t size = symbol_size(walk->image);
	const uint64_t left = walk->end - index;
	const size_t most = SYMBOLS_CHUNK_BYTES / size;
	const size_t count = left < most ? (size_t)left : most;
	ompd_rc_t rc;

	if (walk->held_count == 0 || index < walk->held || index - walk->held >= walk->held_count) {
		walk->held_count = 0;
		rc = target_read(walk->image->target, walk->image->symtab + index * size,
				 count * size, walk->chunk);
		if (rc != ompd_rc_ok)
			return rc;
		walk->held = index;
		walk->held_count = count;
	}
	*ret = decode(walk->image, walk->chunk + (size_t)(index - walk->held) * size);
	return ompd_rc_ok;
}

static bool is_function(const struct image *image, const struct symbol *symbol)
{
	const unsigned type = ELF64_ST_TYPE(symbol->info);

	return symbol->section != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	       symbol->name < image->strtab_size;
}

ompd_rc_t symbols_next(struct symbol_walk *walk, struct exported_function *ret)
{
	const struct image *image = walk->image;

	while (walk->next < walk->end) {
		struct symbol symbol;
		ompd_rc_t rc = symbol_at(walk, walk->next, &symbol);

		if (rc != ompd_rc_ok)
			return rc;
		walk->next++;
		if (!is_function(image, &symbol))
			continue;
		rc = target_read_string(image->target, image->strtab + symbol.name, SYMBOL_NAME_MAX,
					ret->name);
		if (rc == ompd_rc_incomplete)
			continue;
		if (rc != ompd_rc_ok)
			return rc;
		ret->address = image->bias + symbol.address;
		ret->size = symbol.size;
		return ompd_rc_ok;
	}
	return ompd_rc_unavailable;
}
