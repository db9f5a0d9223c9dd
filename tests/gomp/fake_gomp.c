/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_gomp.h"

#include <elf.h>
#include <string.h>

#include "fake_gomp_aarch64.h"

#define BASE UINT64_C(0x7f00b8000000)
#define STACKS UINT64_C(0x7f0040000000)
#define STACK_STRIDE UINT64_C(0x10000)
#define TLS_BELOW 256 /* of gomp_tls_data, from the thread pointer */
#define TLS_ABOVE 16  /* on AArch64 */
#define POOL UINT64_C(0x7f0060000000)
#define TEXT_SIZE UINT64_C(0x4000)
#define FUNCTIONS 8
#define TLS_WORD FAKE_DATA_HEADER
#define GLOBAL_ICV (FAKE_DATA_HEADER + 0x100)

const struct fake_gomp_layout fake_gomp_layouts[FAKE_GOMP_LAYOUTS] = {
	{3, "gcc-4.8", 96, 72, 80, 88, 0, 72, 1304, 104, 0, 0, 48, 72, 88, 0, 4},
	{4, "gcc-4.9", 104, 80, 88, 96, 0, 80, 1320, 176, 96, 0, 104, 144, 160, 32, 4},
	{5, "gcc-5", 104, 80, 88, 96, 0, 80, 1320, 176, 104, 0, 112, 152, 168, 32, 16},
	{6, "gcc-6", 104, 80, 88, 96, 0, 80, 1344, 208, 80, 96, 144, 184, 200, 56, 16},
	{9, "gcc-9", 104, 80, 88, 96, 0, 80, 1344, 208, 80, 96, 144, 184, 200, 64, 16},
	{11, "gcc-11", 112, 88, 96, 104, 0, 88, 1344, 216, 80, 104, 152, 192, 208, 64, 16},
	{12, "gcc-12", 120, 88, 96, 104, 116, 88, 1344, 216, 80, 104, 152, 192, 208, 64, 16},
	{13, "gcc-13", 120, 88, 96, 104, 116, 88, 1344, 224, 88, 112, 160, 200, 216, 64, 16},
};

uint64_t fake_gomp_final_task(const struct fake_gomp_layout *layout)
{
	/* Until GCC 4.9 in_taskwait stands before in_tied_task. */
	return layout->kind + (layout->release < 5 ? 6 : 5);
}

uint64_t fake_gomp_dyn_var(const struct fake_gomp_layout *layout)
{
	return layout->release < 4 ? 16 : 24;
}

/* ---- The image ---- */

struct code {
	uint8_t bytes[48];
	unsigned size;
};

static void add(struct code *code, const void *bytes, unsigned size)
{
	memcpy(code->bytes + code->size, bytes, size);
	code->size += size;
}

static void add_number(struct code *code, uint64_t number, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		code->bytes[code->size++] = (uint8_t)(number >> (8 * i));
}

/* mov slot(%rip),%rax or, linked, mov $distance,%rax; mov %fs:offset(%rax),%eax or, wide, %rdx */
static struct code begin_function(const struct fake_gomp *gomp, uint64_t at, uint64_t offset,
				  bool wide)
{
	struct code code = {.size = 0};

	add(&code, "\xf3\x0f\x1e\xfa", 4);
	if (gomp->linked) {
		add(&code, "\x48\xc7\xc0", 3);
		add_number(&code, (uint64_t)-TLS_BELOW, 4);
	} else {
		add(&code, "\x48\x8b\x05", 3);
		add_number(&code, BASE + TEXT_SIZE + TLS_WORD - (at + 11), 4);
	}
	if (wide)
		add(&code, "\x64\x48\x8b\x50", 4);
	else
		add(&code, "\x64\x8b\x40", 3);
	add_number(&code, offset, 1);
	return code;
}

static void put_function(const struct fake_gomp *gomp, uint64_t at, unsigned number)
{
	const struct fake_gomp_layout *layout = gomp->layout;
	struct code code;

	switch (number) {
	case 0: /* omp_get_thread_num */
		code = begin_function(gomp, at, 40, false);
		break;
	case 1: /* omp_get_level */
		code = begin_function(gomp, at, 44, false);
		break;
	case 2: /* omp_get_active_level */
		code = begin_function(gomp, at, 48, false);
		break;
	case 3: /* omp_get_num_threads */
		code = begin_function(gomp, at, 16, true);
		break;
	case 4: /* omp_get_dynamic: lea icv(%rdx),%rax; lea gomp_global_icv(%rip),%rdx; movzbl dyn_var(%rax),%eax */
		code = begin_function(gomp, at, layout->task, true);
		add(&code, "\x48\x8d\x82", 3);
		add_number(&code, layout->icv, 4);
		add(&code, "\x48\x8d\x15", 3);
		add_number(&code, BASE + TEXT_SIZE + GLOBAL_ICV - (at + code.size + 4), 4);
		add(&code, "\x0f\xb6\x40", 3);
		add_number(&code, fake_gomp_dyn_var(layout), 1);
		break;
	case 5: /* omp_in_final: movzbl final_task(%rdx),%eax */
		code = begin_function(gomp, at, layout->task, true);
		add(&code, "\x0f\xb6\x82", 3);
		add_number(&code, fake_gomp_final_task(layout), 4);
		break;
	case 6: /* omp_get_team_num */
		code = begin_function(gomp, at, layout->team_num, false);
		if (layout->team_num == 0)
			code.size = 4;
		break;
	default: /* GOMP_taskgroup_start: mov $size,%edi; call gomp_malloc */
		code = begin_function(gomp, at, layout->task, true);
		add(&code, "\xbf", 1);
		add_number(&code, layout->taskgroup_size, 4);
		add(&code, "\xe8\x00\x10\x00\x00", 5);
		if (layout->taskgroup_size == 0)
			code.size = 4;
		break;
	}
	add(&code, "\xc3", 1);
	fake_write(gomp->target, at, code.bytes, code.size);
}

static void name_versions(int release, const char **names)
{
	static const struct {
		int release;
		const char *name;
	} all[] = {
		{3, "GOMP_3.0"},   {4, "GOMP_4.0"},    {5, "GOMP_4.0.1"}, {6, "GOMP_4.5"},
		{8, "OACC_2.0.1"}, {9, "GOMP_5.0"},    {10, "OACC_2.6"},  {11, "GOMP_5.0.1"},
		{12, "GOMP_5.1"},  {13, "GOMP_5.1.1"},
	};
	int count = 0;

	names[count++] = "libgomp.so.1";
	names[count++] = "GOMP_1.0";
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && all[i].release <= release; i++)
		names[count++] = all[i].name;
	names[count] = NULL;
}

static void put_in_aarch64(struct fake_gomp *gomp, const struct fake_export *exports)
{
	const uint64_t word = gomp->image.data + TLS_WORD;

	for (unsigned i = 0; i < FUNCTIONS; i++)
		fake_gomp_put_function_aarch64(gomp->target, gomp->layout, BASE + exports[i].offset,
					       i, word, gomp->image.data + GLOBAL_ICV);
	fake_put(gomp->target, word, 8, TLS_ABOVE);
	fake_gomp_put_libc_aarch64(gomp->target);
}

static void load(struct fake_gomp *gomp, const struct fake_gomp_layout *versions, unsigned machine)
{
	static const char *names[16];
	static const struct fake_export exports[] = {
		{"omp_get_thread_num", 0x3000},   {"omp_get_level", 0x3040},
		{"omp_get_active_level", 0x3080}, {"omp_get_num_threads", 0x30c0},
		{"omp_get_dynamic", 0x3100},      {"omp_in_final", 0x3140},
		{"omp_get_team_num", 0x3180},     {"GOMP_taskgroup_start", 0x31c0},
		{"GOMP_parallel_start", 0x3200},
	};
	struct fake_elf elf = {.path = "/lib/libgomp.so.1",
			       .base = BASE,
			       .exports = exports,
			       .export_count = sizeof(exports) / sizeof(exports[0]),
			       .text_size = TEXT_SIZE,
			       .data_size = 0x2000,
			       .soname = "libgomp.so.1",
			       .versions = names,
			       .machine = machine,
			       .tls_size = gomp->layout->thread_size + gomp->layout->tls_behind,
			       .tls_word = TLS_WORD};

	name_versions(versions->release, names);
	if (gomp->linked) {
		elf.path = "/usr/bin/program";
		elf.export_count = 0;
		elf.soname = NULL;
		elf.versions = NULL;
		for (size_t i = 0; i < sizeof(exports) / sizeof(exports[0]); i++)
			fake_add_symbol(gomp->target, elf.path, exports[i].name,
					BASE + exports[i].offset);
	}
	gomp->image = fake_elf_load(gomp->target, &elf);
	fake_link_map(gomp->target, &gomp->image, 1);
	if (machine == EM_AARCH64) {
		put_in_aarch64(gomp, exports);
		return;
	}
	for (unsigned i = 0; i < FUNCTIONS; i++)
		put_function(gomp, BASE + exports[i].offset, i);
	fake_put(gomp->target, gomp->image.data + TLS_WORD, 8, (uint64_t)-TLS_BELOW);
}

/* ---- Threads ---- */

static void put_thread(struct fake_gomp *gomp, unsigned number)
{
	struct fake_target *target = gomp->target;
	const uint64_t pthread = STACKS + number * STACK_STRIDE + 0x1000;

	fake_map(target, pthread - 0x1000, 0x2000);
	gomp->pthreads[number] = pthread;
	gomp->threads[number] = pthread - TLS_BELOW;
	if (gomp->machine == EM_AARCH64) {
		gomp->threads[number] = pthread + FAKE_PTHREAD_BYTES + TLS_ABOVE;
	} else {
		fake_put(target, pthread, 8, pthread);
		fake_put(target, pthread + 16, 8, pthread);
	}
	fake_put(target, gomp->threads[number] + gomp->layout->thread_pool, 8, gomp->pool);
	fake_add_thread(target, pthread, 100 + number);
}

static struct fake_gomp create(const struct fake_gomp_layout *layout,
			       const struct fake_gomp_layout *versions, unsigned machine,
			       bool linked)
{
	const struct fake_machine wide = {8, false};
	struct fake_gomp gomp = {
		.layout = layout, .machine = machine, .linked = linked, .pool = POOL};

	gomp.target = fake_target_create(wide);
	load(&gomp, versions, machine);
	fake_map(gomp.target, POOL, 0x1000);
	for (unsigned i = 0; i < FAKE_GOMP_THREADS; i++) {
		put_thread(&gomp, i);
		fake_put(gomp.target, POOL + 0x200 + 8 * i, 8, gomp.threads[i]);
	}
	if (machine == EM_AARCH64)
		fake_gomp_list_threads_aarch64(gomp.target, gomp.pthreads, FAKE_GOMP_THREADS);
	/* GCC 8 and older never write there: what lay there before is some other thread. */
	if (layout->release < 9)
		fake_put(gomp.target, POOL + 0x200, 8, gomp.threads[1]);
	fake_put(gomp.target, POOL, 8, POOL + 0x200);
	fake_put(gomp.target, POOL + 8, 4, FAKE_GOMP_THREADS + 1);
	fake_put(gomp.target, POOL + 12, 4, FAKE_GOMP_THREADS);
	/* threads_dock: total, awaited */
	fake_put(gomp.target, POOL + 64, 4, FAKE_GOMP_THREADS);
	fake_put(gomp.target, POOL + 128, 4, FAKE_GOMP_THREADS);
	return gomp;
}

struct fake_gomp fake_gomp_create(const struct fake_gomp_layout *layout,
				  const struct fake_gomp_layout *versions, unsigned machine)
{
	return create(layout, versions, machine, false);
}

struct fake_gomp fake_gomp_create_linked(const struct fake_gomp_layout *layout)
{
	return create(layout, layout, 0, true);
}

void fake_gomp_destroy(struct fake_gomp *gomp)
{
	fake_target_destroy(gomp->target);
}

/* ---- Regions ---- */

uint64_t fake_gomp_implicit_task(const struct fake_gomp *gomp, unsigned number)
{
	return FAKE_GOMP_TEAM + gomp->layout->implicit_task + number * gomp->layout->task_size;
}

void fake_gomp_parallel(struct fake_gomp *gomp)
{
	struct fake_target *target = gomp->target;
	const uint64_t releases = fake_gomp_implicit_task(gomp, FAKE_GOMP_THREADS);

	fake_map(target, FAKE_GOMP_TEAM, FAKE_GOMP_TEAM_BYTES);
	fake_put(target, FAKE_GOMP_TEAM, 4, FAKE_GOMP_THREADS);
	fake_put(target, FAKE_GOMP_TEAM + gomp->layout->ordered_release, 8, releases);
	/* The barrier: total, awaited, awaited_final. */
	fake_put(target, FAKE_GOMP_TEAM + 128, 4, FAKE_GOMP_THREADS);
	fake_put(target, FAKE_GOMP_TEAM + 192, 4, FAKE_GOMP_THREADS);
	fake_put(target, FAKE_GOMP_TEAM + 196, 4, FAKE_GOMP_THREADS);
	for (unsigned i = 0; i < FAKE_GOMP_THREADS; i++) {
		const uint64_t thread = gomp->threads[i];

		fake_put(target, thread + 16, 8, FAKE_GOMP_TEAM);
		fake_put(target, thread + 40, 4, i);
		fake_put(target, thread + 44, 4, 1);
		fake_put(target, thread + 48, 4, 1);
		fake_put(target, thread + gomp->layout->task, 8, fake_gomp_implicit_task(gomp, i));
		fake_put(target, releases + 8 * i, 8, thread + gomp->layout->release_semaphore);
	}
}

void fake_gomp_end(struct fake_gomp *gomp)
{
	struct fake_target *target = gomp->target;

	fake_put(target, gomp->threads[0] + 16, 8, 0);
	fake_put(target, gomp->threads[0] + 44, 4, 0);
	fake_put(target, gomp->threads[0] + 48, 4, 0);
	fake_put(target, gomp->threads[0] + gomp->layout->task, 8, 0);
	fake_put(target, POOL + 128, 4, 1);
}
