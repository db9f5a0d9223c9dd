/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/descriptors.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

static const char *const symbols[TABLE_WORDS] = {
#define ACCESS(type, member)                                                                       \
	[TABLE_OFFSETS + ACCESS_##type##__##member] = "ompd_access__" #type "__" #member,          \
			 [TABLE_MEMBER_SIZES + ACCESS_##type##__##member] =                        \
				 "ompd_sizeof__" #type "__" #member,
#define BITFIELD(type, member)                                                                     \
	[TABLE_MASKS + BITFIELD_##type##__##member] = "ompd_bitfield__" #type "__" #member,
#define SIZEOF(type) [TABLE_SIZES + SIZEOF_##type] = "ompd_sizeof__" #type,
#include "runtime/llvm/layout.def"
};

static const struct record records[] = {
#include "runtime/llvm/records.inc"
};

/* Members of unions that wrap a structure for padding: always at its start. */
static const enum access first_members[] = {
	ACCESS_kmp_info_t__th, ACCESS_kmp_desc_t__ds,   ACCESS_kmp_root_t__r,
	ACCESS_kmp_team_p__t,  ACCESS_ompt_data_t__ptr,
};

static const enum access pointer_members[] = {
	ACCESS_kmp_base_info_t__th_current_task, ACCESS_kmp_base_info_t__th_team,
	ACCESS_kmp_base_team_t__t_parent,        ACCESS_kmp_base_team_t__t_threads,
	ACCESS_kmp_base_team_t__t_pkfn,          ACCESS_kmp_taskdata_t__td_parent,
	ACCESS_kmp_taskdata_t__td_team,          ACCESS_kmp_desc_base_t__ds_thread,
};

static const enum access int_members[] = {
	ACCESS_kmp_base_team_t__t_nproc,        ACCESS_kmp_base_team_t__t_level,
	ACCESS_kmp_base_team_t__t_active_level, ACCESS_kmp_base_team_t__t_master_tid,
	ACCESS_kmp_desc_base_t__ds_tid,
};

const char *table_symbol(unsigned word)
{
	return symbols[word];
}

static bool masks_plausible(const uint64_t *masks)
{
	uint64_t seen = 0;

	for (unsigned i = 0; i < BITFIELD_COUNT; i++) {
		const uint64_t mask = masks[i];

		if (mask == 0 || (mask & (mask - 1)) || mask > UINT32_MAX || (seen & mask))
			return false;
		seen |= mask;
	}
	return true;
}

static bool sizes_plausible(const uint64_t *sizes, unsigned pointer_size)
{
	return sizes[SIZEOF_int] == 4 && sizes[SIZEOF_char] == 1 && sizes[SIZEOF___kmp_gtid] == 4 &&
	       sizes[SIZEOF___kmp_nth] == 4 && sizes[SIZEOF_kmp_thread_t] == pointer_size &&
	       sizes[SIZEOF_ompt_data_t] == 8 && sizes[SIZEOF_kmp_info_t] <= UINT16_MAX &&
	       sizes[SIZEOF_kmp_taskdata_t] <= UINT16_MAX;
}

static bool inside(const uint64_t *words, enum access member, uint64_t structure_size)
{
	return words[TABLE_OFFSETS + member] + words[TABLE_MEMBER_SIZES + member] <= structure_size;
}

bool table_plausible(const uint64_t words[TABLE_WORDS], unsigned pointer_size)
{
	const uint64_t *offsets = words + TABLE_OFFSETS;
	const uint64_t *member_sizes = words + TABLE_MEMBER_SIZES;
	const uint64_t *sizes = words + TABLE_SIZES;

	/* The masks first: they refuse nearly everything. */
	if (!masks_plausible(words + TABLE_MASKS) || !sizes_plausible(sizes, pointer_size))
		return false;
	for (unsigned i = 0; i < ACCESS_COUNT; i++) {
		if (offsets[i] > UINT16_MAX || member_sizes[i] > UINT16_MAX)
			return false;
	}
	for (size_t i = 0; i < sizeof(first_members) / sizeof(first_members[0]); i++) {
		if (offsets[first_members[i]] != 0)
			return false;
	}
	for (size_t i = 0; i < sizeof(pointer_members) / sizeof(pointer_members[0]); i++) {
		if (member_sizes[pointer_members[i]] != pointer_size)
			return false;
	}
	for (size_t i = 0; i < sizeof(int_members) / sizeof(int_members[0]); i++) {
		if (member_sizes[int_members[i]] != 4)
			return false;
	}
	return offsets[ACCESS_kmp_desc_base_t__ds_tid] ==
		       offsets[ACCESS_kmp_desc_base_t__ds_thread] + pointer_size &&
	       inside(words, ACCESS_kmp_base_info_t__th_current_task, sizes[SIZEOF_kmp_info_t]) &&
	       inside(words, ACCESS_kmp_base_info_t__th_team, sizes[SIZEOF_kmp_info_t]) &&
	       inside(words, ACCESS_kmp_taskdata_t__td_team, sizes[SIZEOF_kmp_taskdata_t]);
}

bool record_is_for(const struct record *record, uint16_t machine)
{
	return machine == EM_NONE || machine == record->machine;
}

const struct record *record_of_table(const uint64_t words[TABLE_WORDS], uint16_t machine)
{
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		unsigned same = 0;

		if (!record_is_for(&records[i], machine))
			continue;
		while (same < TABLE_WORDS && records[i].table[same] == words[same])
			same++;
		if (same == TABLE_WORDS)
			return &records[i];
	}
	return NULL;
}

size_t record_count(void)
{
	return sizeof(records) / sizeof(records[0]);
}

const struct record *record_at(size_t index)
{
	return &records[index];
}

void record_table(const struct record *record, uint64_t words[TABLE_WORDS])
{
	for (unsigned i = 0; i < TABLE_WORDS; i++)
		words[i] = record->table[i];
}
