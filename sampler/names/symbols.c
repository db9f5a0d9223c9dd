/* SPDX-License-Identifier: Apache-2.0 */
#include "names/symbols.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/search.h"

/* One without a size, as of assembly, is meant so far: a stripped function behind it has no name. */
#define LABEL_REACH 64

/* Of the names of a place, the one that others may call. */
static uint32_t order_of(const GElf_Sym *symbol, int index)
{
	const unsigned binding = GELF_ST_BIND(symbol->st_info);
	const uint32_t rank = binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0;

	return (symbol->st_size ? UINT32_C(1) << 31 : 0) | rank << 29 |
	       (UINT32_C(0x1FFFFFFF) - (uint32_t)index);
}

static bool is_place(const GElf_Sym *symbol, const char *name, GElf_Word section)
{
	const unsigned type = GELF_ST_TYPE(symbol->st_info);

	/* Versions are numbers; AArch64's assemblers mark with $ where data lies in code. */
	return name && *name && *name != '$' && section != SHN_UNDEF && section != SHN_ABS &&
	       type != STT_SECTION && type != STT_FILE && type != STT_TLS;
}

static int by_place(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

void symbols_read(struct symbols *symbols, Dwfl_Module *module)
{
	const int count = dwfl_module_getsymtab(module);
	uint64_t reach = 0;

	symbols->has_all = true;
	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr start;
		GElf_Word section;
		const char *name =
			dwfl_module_getsym_info(module, i, &symbol, &start, &section, NULL, NULL);

		if (!is_place(&symbol, name, section))
			continue;
		symbols->all = grow_array(symbols->all, symbols->count, &symbols->capacity,
					  sizeof *symbols->all);
		symbols->all[symbols->count++] = (struct symbol){
			.start = start,
			.size = symbol.st_size < UINT64_MAX - start ? symbol.st_size : 0,
			.name = name,
			.order = order_of(&symbol, i)};
	}
	if (symbols->count)
		qsort(symbols->all, symbols->count, sizeof *symbols->all, by_place);
	for (size_t i = 0; i < symbols->count; i++) {
		struct symbol *one = &symbols->all[i];

		reach = one->start + one->size > reach ? one->start + one->size : reach;
		one->reach = reach;
	}
}

void symbols_deinit(struct symbols *symbols)
{
	free(symbols->all);
}

static uint64_t start_of(const void *symbols, uint64_t number)
{
	return ((const struct symbol *)symbols)[number].start;
}

const struct symbol *symbol_at(const struct symbols *symbols, uint64_t address)
{
	const uint64_t count = first_behind(0, symbols->count, address, start_of, symbols->all);

	for (uint64_t i = count; i-- > 0 && symbols->all[i].reach > address;)
		if (address - symbols->all[i].start < symbols->all[i].size)
			return &symbols->all[i];
	if (!count)
		return NULL;
	/* Behind what ends last of those before: else it is within a function that ended before the address. */
	const struct symbol *label = &symbols->all[count - 1];

	return label->size == 0 && label->reach == label->start &&
			       address - label->start <= LABEL_REACH
		       ? label
		       : NULL;
}
