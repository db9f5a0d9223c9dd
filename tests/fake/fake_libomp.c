/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_libomp.h"

#include <stdlib.h>
#include <string.h>

#include "fake_libomp_internal.h"
#include "fake_variables.h"

/* A 32-bit process has it all below 4 GiB, a 64-bit one the same far above. */
#define LIBC_BASE UINT64_C(0xb6000000)
#define LIBOMP_BASE UINT64_C(0xb7000000)
#define EXECUTABLE_BASE UINT64_C(0x08048000)
#define HEAP UINT64_C(0x60000000)
#define HEAP_SIZE UINT64_C(0x800000) /* for 1,023 threads */
#define STACKS UINT64_C(0xa0000000)

/* Of LLVM's libomp 19: a writable segment of 45 KiB, the table 0x50a8 behind __kmp_thread_pool. */
#define TEXT_SIZE UINT64_C(0x6000)
#define DATA_SIZE UINT64_C(0xb000)
#define THREAD_POOL (TEXT_SIZE + UINT64_C(0x2b00))
#define TABLE (THREAD_POOL + UINT64_C(0x50a8))
#define SECOND_TABLE (THREAD_POOL + UINT64_C(0x6000))
#define THREADS_ELSEWHERE (TEXT_SIZE + UINT64_C(0x1230))

#define DEFAULT_CAPACITY 64

static uint64_t high_part(struct fake_machine machine)
{
	return machine.pointer_size == 8 ? UINT64_C(0x7f0000000000) : 0;
}

struct fake_image fake_executable_load(struct fake_target *target)
{
	static const struct fake_export exports[] = {{"main", 0x200}, {"_start", 0x180}};
	const struct fake_elf elf = {
		.path = FAKE_EXECUTABLE_PATH,
		.base = EXECUTABLE_BASE + high_part(fake_machine_of(target)),
		.exports = exports,
		.export_count = 2,
		.text_size = 0x8000,
		.data_size = 0x2000,
	};

	return fake_elf_load(target, &elf);
}

/* glibc tells libthread_db where it keeps a thread's kernel id: bits, elements, offset. */
#define TID_DESCRIPTION UINT64_C(0x3f00)

static uint64_t tid_offset(struct fake_machine machine)
{
	return machine.pointer_size == 8 ? 0x2d0 : 0x68;
}

struct fake_image fake_libc_load(struct fake_target *target)
{
	static const struct fake_export exports[] = {
		{"malloc", 0x900},
		{"pthread_self", 0xa00},
		{"_thread_db_pthread_tid", TID_DESCRIPTION},
	};
	const struct fake_machine machine = fake_machine_of(target);
	const struct fake_elf elf = {
		.path = "/lib/x86_64-linux-gnu/libc.so.6",
		.base = LIBC_BASE + high_part(machine),
		.exports = exports,
		.export_count = 3,
		.text_size = 0x4000,
		.data_size = 0x2000,
		.soname = "libc.so.6",
	};
	const struct fake_image image = fake_elf_load(target, &elf);

	fake_put(target, image.base + TID_DESCRIPTION, 4, 32);
	fake_put(target, image.base + TID_DESCRIPTION + 4, 4, 1);
	fake_put(target, image.base + TID_DESCRIPTION + 8, 4, tid_offset(machine));
	return image;
}

/* What a release exports that the one before did not. */
static const struct {
	int version;
	const char *name;
} version_exports[] = {
	{13, "__kmpc_error"},
	{14, "__kmpc_scope"},
	{14, "omp_aligned_alloc"},
	{15, "omp_in_explicit_task"},
	{15, "__kmpc_sections_init"},
	{16, "__kmpc_fork_call_if"},
	{17, "__kmpc_for_collapsed_init"},
	{18, "__kmpc_set_thread_limit"},
	{19, "__kmpc_dispatch_deinit"},
	{21, "kmp_max_mem_space"},
	{22, "omp_get_uid_from_device"},
	{23, "omp_get_dyn_gprivate_ptr"},
};

int fake_expected_version(const struct fake_libomp *omp)
{
	static const int versions[] = {
		[FAKE_LLVM_14] = 14,
		[FAKE_LLVM_16] = 16,
		[FAKE_LLVM_19] = 19,
		[FAKE_LLVM_UNKNOWN] = 23,
	};

	/* By exports or the debugger's symbols. */
	if (omp->options.linkage != FAKE_SHARED && !omp->options.published)
		return -1;
	return versions[omp->options.layout];
}

bool fake_has_record(const struct fake_libomp *omp)
{
	return omp->options.layout != FAKE_LLVM_UNKNOWN;
}

/* The program that it is linked into, which keeps the names for its debugger at most. */
static struct fake_image load_program(struct fake_libomp *omp, struct fake_elf elf)
{
	const size_t names = omp->options.published ? elf.export_count : 0;

	elf.path = FAKE_EXECUTABLE_PATH;
	elf.base = EXECUTABLE_BASE + high_part(omp->machine);
	elf.soname = NULL;
	elf.versions = NULL;
	elf.export_count = 0;
	elf.fixed = omp->options.linkage == FAKE_IN_FIXED;
	for (size_t i = 0; i < names; i++)
		fake_add_symbol(omp->target, elf.path, elf.exports[i].name,
				elf.base + elf.exports[i].offset);
	return fake_elf_load(omp->target, &elf);
}

static struct fake_image load_image(struct fake_libomp *omp)
{
	static const uint8_t build_id[20] = {0x88, 0xdd, 0x4c, 0x1b, 0x01, 0x02, 0x03,
					     0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a,
					     0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10};
	static const char *const versions[] = {"libomp.so.5", "VERSION", "GOMP_1.0", "GOMP_4.0",
					       NULL};
	struct fake_export exports[64] = {
		{"__kmpc_fork_call", 0x4000},
		{"__kmpc_barrier", 0x4040},
		{"__kmpc_global_thread_num", 0x4080},
		{"omp_get_thread_num", 0x40c0},
		{"omp_get_level", 0x4100},
		{"GOMP_parallel", 0x4140},
		{"GOMP_barrier", 0x4180},
		{"__kmp_thread_pool", THREAD_POOL},
	};
	const struct fake_export *getters;
	size_t getter_count;
	struct fake_elf elf = {
		.path = omp->options.path ? omp->options.path : FAKE_LIBOMP_PATH,
		.base = omp->options.base ? omp->options.base
					  : LIBOMP_BASE + high_part(omp->machine),
		.exports = exports,
		.export_count = 8,
		.text_size = TEXT_SIZE,
		.data_size = DATA_SIZE,
		.soname = "libomp.so.5",
		.versions = versions,
		.no_gnu_hash = omp->options.sysv_hash_only,
		.unrelocated = omp->options.unrelocated,
		.machine = omp->options.elf_machine,
		.build_id = build_id,
		.build_id_size = sizeof(build_id),
	};

	getters = fake_getter_exports(&getter_count);
	for (size_t i = 0; i < getter_count; i++)
		exports[elf.export_count++] = getters[i];
	for (size_t i = 0; i < sizeof(version_exports) / sizeof(version_exports[0]); i++) {
		if (version_exports[i].version <= fake_expected_version(omp))
			exports[elf.export_count++] =
				(struct fake_export){version_exports[i].name, 0x4200 + 0x40 * i};
	}
	if (omp->options.linkage != FAKE_SHARED)
		return load_program(omp, elf);
	return fake_elf_load(omp->target, &elf);
}

uint64_t fake_table_address(const struct fake_libomp *omp, enum fake_table_word word)
{
	return omp->table +
	       UINT64_C(8) * (omp->options.reversed ? FAKE_TABLE_WORDS - 1 - word : word);
}

uint64_t fake_table_value(const struct fake_libomp *omp, enum fake_table_word word)
{
	return omp->words[word];
}

static void publish_symbols(struct fake_libomp *omp)
{
	const char *path = omp->image.path;

	for (enum fake_table_word word = 0; word < FAKE_TABLE_WORDS; word++)
		fake_add_symbol(omp->target, path, fake_table_name(word),
				fake_table_address(omp, word));
	fake_add_symbol(omp->target, path, "__kmp_threads", omp->threads);
	fake_add_symbol(omp->target, path, "ompd_state", omp->state);
}

struct fake_libomp *fake_libomp_load(struct fake_target *target, struct fake_libomp_options options)
{
	struct fake_libomp *omp = calloc(1, sizeof(*omp));
	uint64_t base;

	if (!omp)
		abort();
	omp->target = target;
	omp->machine = fake_machine_of(target);
	omp->options = options;
	if (omp->machine.pointer_size == 4)
		omp->options.layout = FAKE_LLVM_UNKNOWN;
	if (omp->options.capacity == 0)
		omp->options.capacity = DEFAULT_CAPACITY;
	omp->image = load_image(omp);
	fake_layout_words(omp->options.layout, omp->machine, omp->words);
	base = omp->image.base;
	omp->thread_pool = base + THREAD_POOL;
	omp->threads = options.threads_elsewhere
			       ? base + THREADS_ELSEWHERE
			       : omp->thread_pool - UINT64_C(9) * omp->machine.pointer_size;
	omp->table = base + TABLE;
	omp->state = options.reversed ? omp->table - 16 : omp->table + 8 * FAKE_TABLE_WORDS + 8;
	omp->heap_next = HEAP + high_part(omp->machine);
	/* Each runtime of a process has its own heap. */
	while (omp->heap_end == 0) {
		uint8_t byte;

		if (fake_read(target, omp->heap_next, 1, &byte))
			omp->heap_next += HEAP_SIZE;
		else
			omp->heap_end =
				omp->heap_next + HEAP_SIZE * (1 + omp->options.capacity / 1024);
	}
	fake_map(target, omp->heap_next, omp->heap_end - omp->heap_next);
	fake_variables_write(omp);
	if (options.published)
		publish_symbols(omp);
	return omp;
}

void fake_libomp_forget(struct fake_libomp *omp)
{
	while (omp->regions) {
		struct fake_region *region = omp->regions;

		omp->regions = region->next;
		free(region->members);
		free(region->source);
		free(region);
	}
	for (size_t i = 0; i < omp->member_count; i++)
		free(omp->members[i]);
	free(omp->members);
	free(omp);
}

struct fake_libomp *fake_process_create(struct fake_machine machine,
					struct fake_libomp_options options)
{
	struct fake_target *target = fake_target_create(machine);
	const bool shared = options.linkage == FAKE_SHARED;
	struct fake_image images[3];
	struct fake_libomp *omp;

	if (shared)
		images[0] = fake_executable_load(target);
	images[1] = fake_libc_load(target);
	omp = fake_libomp_load(target, options);
	images[shared ? 2 : 0] = omp->image;
	fake_link_map(target, images, shared ? 3 : 2);
	return omp;
}

void fake_process_destroy(struct fake_libomp *omp)
{
	struct fake_target *target = omp->target;

	fake_libomp_forget(omp);
	fake_target_destroy(target);
}

struct fake_target *fake_libomp_target(const struct fake_libomp *omp)
{
	return omp->target;
}

const struct fake_image *fake_libomp_image(const struct fake_libomp *omp)
{
	return &omp->image;
}

uint64_t fake_native_thread(struct fake_target *target)
{
	const struct fake_machine machine = fake_machine_of(target);
	const uint64_t number = fake_thread_count(target);
	const uint64_t page = STACKS + high_part(machine) + number * FAKE_PAGE;
	const uint64_t pthread_id = page + 0x740;
	const uint64_t lwp = 4711 + number;

	fake_map(target, page, FAKE_PAGE);
	fake_put(target, pthread_id + tid_offset(machine), 4, lwp);
	fake_add_thread(target, pthread_id, lwp);
	return pthread_id;
}

uint64_t fake_allocate(struct fake_libomp *omp, uint64_t size)
{
	const uint64_t width = omp->machine.pointer_size;
	const uint64_t block = (omp->heap_next + 4 * width + 63) / 64 * 64;
	const uint64_t descriptor = block - 4 * width;

	if (block + size > omp->heap_end)
		abort();
	fake_put_pointer(omp->target, descriptor, omp->heap_next);
	fake_put_pointer(omp->target, descriptor + width, block + size - omp->heap_next);
	fake_put_pointer(omp->target, descriptor + 2 * width, block);
	fake_put_pointer(omp->target, descriptor + 3 * width, size);
	omp->heap_next = block + size;
	return block;
}

uint64_t fake_allocate_block(struct fake_libomp *omp, uint64_t size)
{
	return fake_allocate(omp, size);
}

static void write_table(struct fake_libomp *omp, uint64_t lowest)
{
	for (enum fake_table_word word = 0; word < FAKE_TABLE_WORDS; word++)
		fake_put(omp->target, lowest + fake_table_address(omp, word) - omp->table, 8,
			 omp->words[word]);
}

/* ompd_dll_locations lies next to the last word of the table, ompd_state behind it. */
static void write_dll_locations(struct fake_libomp *omp)
{
	const uint64_t width = omp->machine.pointer_size;
	const uint64_t text = fake_allocate(omp, 32);
	const uint64_t vector = fake_allocate(omp, 3 * width);
	const uint64_t variable = omp->options.reversed
					  ? omp->table - 8
					  : omp->table + UINT64_C(8) * FAKE_TABLE_WORDS;

	fake_put_string(omp->target, text, "libompd.so");
	fake_put_pointer(omp->target, vector, text);
	fake_put_pointer(omp->target, variable, vector);
}

void fake_libomp_start(struct fake_libomp *omp)
{
	const uint64_t width = omp->machine.pointer_size;
	const uint64_t capacity = omp->options.capacity;

	if (omp->started)
		return;
	omp->started = true;
	/* __kmp_threads and __kmp_root share a block. */
	omp->array = fake_allocate(omp, 2 * width * capacity + 64);
	fake_put_pointer(omp->target, omp->threads, omp->array);
	fake_put_pointer(omp->target, omp->threads + width, omp->array + width * capacity);
	if (!omp->options.no_table)
		write_table(omp, omp->table);
	if (omp->options.second_table)
		write_table(omp, omp->image.base + SECOND_TABLE);
	write_dll_locations(omp);
	/* OMP_DEBUG turns OMPT on. */
	if (omp->options.tracks_states) {
		fake_put(omp->target, omp->state, 8, 1);
		fake_set_variable(omp, FAKE_VARIABLE_ompt_enabled, 1);
	}
}

uint64_t fake_threads_variable(const struct fake_libomp *omp)
{
	return omp->threads;
}

uint64_t fake_threads_array(const struct fake_libomp *omp)
{
	return omp->array;
}

/* Members of kmp_info_t that the runtime describes as members of a member. */
static uint64_t outer_offset(const struct fake_libomp *omp, enum fake_table_word offset)
{
	switch (offset) {
	case FAKE_OFFSET_kmp_desc_base_t__ds_thread:
	case FAKE_OFFSET_kmp_desc_base_t__ds_tid:
		return omp->words[FAKE_OFFSET_kmp_base_info_t__th_info];
	case FAKE_OFFSET_ompt_thread_info_t__state:
	case FAKE_OFFSET_ompt_thread_info_t__wait_id:
		return omp->words[FAKE_OFFSET_kmp_base_info_t__ompt_thread_info];
	default:
		return 0;
	}
}

/* The sizes of the members stand in the same order behind the offsets. */
static unsigned size_of_member(const struct fake_libomp *omp, enum fake_table_word offset)
{
	return (unsigned)omp->words[FAKE_SIZE_kmp_base_info_t__th_current_task + (int)offset];
}

void fake_set_member(struct fake_libomp *omp, uint64_t structure, enum fake_table_word offset,
		     uint64_t value)
{
	fake_put(omp->target, structure + outer_offset(omp, offset) + omp->words[offset],
		 size_of_member(omp, offset), value);
}

uint64_t fake_get_member(const struct fake_libomp *omp, uint64_t structure,
			 enum fake_table_word offset)
{
	return fake_get(omp->target, structure + outer_offset(omp, offset) + omp->words[offset],
			size_of_member(omp, offset));
}
