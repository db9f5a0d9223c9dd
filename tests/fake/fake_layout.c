/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a libomp's members lie: three releases as they were measured, and two machines for which nobody
 * has a record. Those are made from 19's: what matters is that they are consistent.
 */
#include <string.h>

#include "fake_libomp_internal.h"

enum release { RELEASE_14, RELEASE_16, RELEASE_19, RELEASES };

static const uint64_t measured[RELEASES][FAKE_TABLE_WORDS] = {
	[RELEASE_14] =
		{
#define ACCESS(type, member, o14, s14, o16, s16, o19, s19)                                         \
	[FAKE_OFFSET_##type##__##member] = o14, [FAKE_SIZE_##type##__##member] = s14,
#define BITFIELD(type, member, m14, m16, m19) [FAKE_MASK_##type##__##member] = m14,
#define SIZEOF(type, s14, s16, s19) [FAKE_SIZEOF_##type] = s14,
#include "fake_table.def"
		},
	[RELEASE_16] =
		{
#define ACCESS(type, member, o14, s14, o16, s16, o19, s19)                                         \
	[FAKE_OFFSET_##type##__##member] = o16, [FAKE_SIZE_##type##__##member] = s16,
#define BITFIELD(type, member, m14, m16, m19) [FAKE_MASK_##type##__##member] = m16,
#define SIZEOF(type, s14, s16, s19) [FAKE_SIZEOF_##type] = s16,
#include "fake_table.def"
		},
	[RELEASE_19] =
		{
#define ACCESS(type, member, o14, s14, o16, s16, o19, s19)                                         \
	[FAKE_OFFSET_##type##__##member] = o19, [FAKE_SIZE_##type##__##member] = s19,
#define BITFIELD(type, member, m14, m16, m19) [FAKE_MASK_##type##__##member] = m19,
#define SIZEOF(type, s14, s16, s19) [FAKE_SIZEOF_##type] = s19,
#include "fake_table.def"
		},
};

static const char *const names[FAKE_TABLE_WORDS] = {
#define ACCESS(type, member, ...)                                                                  \
	[FAKE_OFFSET_##type##__##member] = "ompd_access__" #type "__" #member,                     \
	[FAKE_SIZE_##type##__##member] = "ompd_sizeof__" #type "__" #member,
#define BITFIELD(type, member, ...)                                                                \
	[FAKE_MASK_##type##__##member] = "ompd_bitfield__" #type "__" #member,
#define SIZEOF(type, ...) [FAKE_SIZEOF_##type] = "ompd_sizeof__" #type,
#include "fake_table.def"
};

const char *fake_table_name(enum fake_table_word word)
{
	return names[word];
}

/* Words that say how large a pointer, or a size_t, is. */
static const enum fake_table_word pointer_sizes[] = {
	FAKE_SIZE_kmp_base_info_t__th_current_task,
	FAKE_SIZE_kmp_base_info_t__th_team,
	FAKE_SIZE_kmp_base_team_t__ompt_serialized_team_info,
	FAKE_SIZE_kmp_base_team_t__t_implicit_task_taskdata,
	FAKE_SIZE_kmp_base_team_t__t_parent,
	FAKE_SIZE_kmp_base_team_t__t_pkfn,
	FAKE_SIZE_kmp_base_team_t__t_threads,
	FAKE_SIZE_kmp_desc_base_t__ds_thread,
	FAKE_SIZE_kmp_taskdata_t__td_parent,
	FAKE_SIZE_kmp_taskdata_t__td_team,
	FAKE_SIZE_kmp_task_t__routine,
	FAKE_SIZE_kmp_nested_nthreads_t__nth,
	FAKE_SIZE_kmp_nested_proc_bind_t__bind_types,
	FAKE_SIZE_ompt_task_info_t__scheduling_parent,
	FAKE_SIZE_ompt_data_t__ptr,
	FAKE_SIZE_ompt_lw_taskteam_t__parent,
	FAKE_SIZEOF_kmp_thread_t,
	FAKE_SIZEOF___kmp_stksize,
	FAKE_SIZEOF___kmp_affinity_format,
	FAKE_SIZEOF___kmp_tool_libraries,
	FAKE_SIZEOF___kmp_tool_verbose_init,
};

static void make_32_bit(uint64_t *words)
{
	for (size_t i = 0; i < sizeof(pointer_sizes) / sizeof(pointer_sizes[0]); i++)
		words[pointer_sizes[i]] = 4;
	words[FAKE_OFFSET_kmp_desc_base_t__ds_tid] =
		words[FAKE_OFFSET_kmp_desc_base_t__ds_thread] + 4;
	words[FAKE_OFFSET_kmp_task_t__routine] = 4;
}

/* A release that nobody has a record of: its larger structures begin with something new. */
static void make_unknown(uint64_t *words)
{
	const uint64_t more = 64;

	for (unsigned word = 0; word < FAKE_TABLE_WORDS; word++) {
		const char *name = names[word];

		if (strncmp(name, "ompd_access__kmp_base_info_t", 28) == 0 ||
		    strncmp(name, "ompd_access__kmp_base_team_t", 28) == 0 ||
		    strncmp(name, "ompd_access__kmp_taskdata_t", 27) == 0)
			words[word] += more;
	}
	words[FAKE_SIZEOF_kmp_info_t] += more;
	words[FAKE_SIZE_kmp_info_t__th] += more;
	words[FAKE_SIZE_kmp_team_p__t] += more;
	words[FAKE_SIZEOF_kmp_taskdata_t] += more;
}

/* libomp makes a mask by setting a bit field in a zeroed word of 8 bytes: where the first bit field is
 * the most significant, the mask is that of a 4-byte integer in the word's first half. */
static void make_big_endian_masks(uint64_t *words)
{
	for (unsigned word = 0; word < FAKE_TABLE_WORDS; word++) {
		if (strncmp(names[word], "ompd_bitfield__", 15) == 0) {
			const uint64_t mask = words[word];
			unsigned bit = 0;

			while (mask >> bit != 1)
				bit++;
			words[word] = UINT64_C(1) << (63 - bit);
		}
	}
}

void fake_layout_words(enum fake_layout layout, struct fake_machine machine,
		       uint64_t words[FAKE_TABLE_WORDS])
{
	static const enum release bases[] = {
		[FAKE_LLVM_14] = RELEASE_14,
		[FAKE_LLVM_16] = RELEASE_16,
		[FAKE_LLVM_19] = RELEASE_19,
		[FAKE_LLVM_UNKNOWN] = RELEASE_19,
	};

	memcpy(words, measured[bases[layout]], sizeof(measured[0]));
	if (layout == FAKE_LLVM_UNKNOWN)
		make_unknown(words);
	if (machine.pointer_size == 4)
		make_32_bit(words);
	if (machine.big_endian)
		make_big_endian_masks(words);
}
