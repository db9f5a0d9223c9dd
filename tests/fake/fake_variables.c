/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_variables.h"

#include <elf.h>
#include <string.h>

#include "fake_libomp_internal.h"

static const struct {
	const char *name;
	unsigned size;
	int64_t distance_14, distance_19;
} variables[FAKE_VARIABLE_COUNT] = {
#define FAKE_VARIABLE(name, size, distance_14, distance_19)                                        \
	[FAKE_VARIABLE_##name] = {#name, size, distance_14, distance_19},
	FAKE_VARIABLES(FAKE_VARIABLE)
#undef FAKE_VARIABLE
};

/* Addresses in the image's code. */
#define GETTERS 0x5000
#define GETTER_SIZE 0x80
#define BEHIND_JUMP 0x40

static const struct fake_export exports[] = {
	{"kmp_get_stacksize_s", GETTERS},
	{"omp_get_cancellation", GETTERS + GETTER_SIZE},
	{"omp_get_max_task_priority", GETTERS + 2 * GETTER_SIZE},
	{"kmp_get_library", GETTERS + 3 * GETTER_SIZE},
	{"__kmpc_get_target_offload", GETTERS + 4 * GETTER_SIZE},
	{"omp_get_max_teams", GETTERS + 5 * GETTER_SIZE},
	{"omp_get_teams_thread_limit", GETTERS + 6 * GETTER_SIZE},
	{"__kmpc_global_num_threads", GETTERS + 7 * GETTER_SIZE},
};

/* In the order of the exports. */
static const enum fake_variable returned[] = {
	FAKE_VARIABLE___kmp_stksize,
	FAKE_VARIABLE___kmp_omp_cancellation,
	FAKE_VARIABLE___kmp_max_task_priority,
	FAKE_VARIABLE___kmp_library,
	FAKE_VARIABLE___kmp_target_offload,
	FAKE_VARIABLE___kmp_nteams,
	FAKE_VARIABLE___kmp_teams_thread_limit,
	FAKE_VARIABLE___kmp_all_nth,
};

#define GETTER_COUNT (sizeof(returned) / sizeof(returned[0]))

const struct fake_export *fake_getter_exports(size_t *count)
{
	*count = GETTER_COUNT;
	return exports;
}

uint64_t fake_variable(const struct fake_libomp *omp, enum fake_variable variable)
{
	const int64_t distance = omp->options.layout == FAKE_LLVM_14
					 ? variables[variable].distance_14
					 : variables[variable].distance_19;

	return omp->thread_pool + (uint64_t)distance;
}

/* Machine code that is being written. */
struct code {
	struct fake_libomp *omp;
	uint64_t at;
};

static void emit(struct code *code, const uint8_t *bytes, size_t count)
{
	fake_write(code->omp->target, code->at, bytes, count);
	code->at += count;
}

#define EMIT(code, ...)                                                                            \
	emit(code, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* What instructions count from is their own end. */
static void emit_distance(struct code *code, uint64_t to)
{
	fake_put(code->omp->target, code->at, 4, to - (code->at + 4));
	code->at += 4;
}

/* Loads a variable of 4 or 8 bytes by its address in %rax. */
static void emit_load(struct code *code, uint64_t variable, bool wide)
{
	EMIT(code, 0x48, 0x8d, 0x05);
	emit_distance(code, variable);
	if (wide)
		EMIT(code, 0x48, 0x8b, 0x00);
	else
		EMIT(code, 0x8b, 0x00);
}

/* push %rax; lea started,%rax; cmpl $0,(%rax): as every getter begins. */
static void emit_start(struct code *code)
{
	EMIT(code, 0x50);
	EMIT(code, 0x48, 0x8d, 0x05);
	emit_distance(code, code->omp->thread_pool + 64);
	EMIT(code, 0x83, 0x38, 0x00, 0x74, 0x05);
}

/* ---- AArch64 ---- */

/* The dynamic linker's table: words of the data that nothing else has. */
#define TABLE_FROM_POOL 8192

static void emit_word(struct code *code, uint32_t word)
{
	fake_put(code->omp->target, code->at, 4, word);
	code->at += 4;
}

static uint32_t split_distance(uint64_t distance)
{
	return (uint32_t)(distance & 3) << 29 | (uint32_t)(distance >> 2 & 0x7ffff) << 5;
}

/* adrp, ldr: a word of the table, which holds the variable's address. */
static void emit_entry(struct code *code, unsigned reg, uint64_t entry)
{
	emit_word(code, 0x90000000 | reg | split_distance((entry >> 12) - (code->at >> 12)));
	emit_word(code, 0xf9400000 | (uint32_t)(entry >> 3 & 0x1ff) << 10 | reg << 5 | reg);
}

static void emit_load_into_0(struct code *code, unsigned reg, bool wide)
{
	emit_word(code, (wide ? 0xf9400000 : 0xb9400000) | reg << 5);
}

/* bti c; paciasp; stp x29,x30,[sp,#-32]!; mov x29,sp; then the runtime is started, unless it is: bl. */
static void emit_start_aarch64(struct code *code, uint64_t entry)
{
	emit_word(code, 0xd503245f);
	emit_word(code, 0xd503233f);
	emit_word(code, 0xa9be7bfd);
	emit_word(code, 0x910003fd);
	emit_entry(code, 8, entry);
	emit_word(code, 0xb9400108); /* ldr w8,[x8] */
	emit_word(code, 0x35000048); /* cbnz w8, behind the next one */
	emit_word(code, 0x94000040); /* bl */
}

/* ldp x29,x30,[sp],#32; autiasp; ret */
static void emit_end_aarch64(struct code *code)
{
	emit_word(code, 0xa8c27bfd);
	emit_word(code, 0xd50323bf);
	emit_word(code, 0xd65f03c0);
}

static void write_getter_aarch64(struct fake_libomp *omp, uint64_t at, uint64_t variable, bool wide)
{
	struct code code = {omp, at};
	struct code next = {omp, at + BEHIND_JUMP};
	const uint64_t started = omp->thread_pool + TABLE_FROM_POOL;
	const uint64_t entry = started + 8 * (1 + at / GETTER_SIZE % 16);

	fake_put(omp->target, started, 8, omp->thread_pool + 64);
	fake_put(omp->target, entry, 8, variable);
	emit_start_aarch64(&code, started);
	switch ((enum fake_getters)omp->options.getters) {
	case FAKE_GETTERS_AARCH64:
		emit_entry(&code, 8, entry);
		emit_load_into_0(&code, 8, wide);
		break;
	case FAKE_GETTERS_AARCH64_DIRECT: /* adr x8 */
		emit_word(&code, 0x10000008 | split_distance(variable - code.at));
		emit_load_into_0(&code, 8, wide);
		break;
	case FAKE_GETTERS_AARCH64_KEPT: /* cbz w8; bl: a call and a way around it leave x19 */
		emit_entry(&code, 19, entry);
		emit_word(&code, 0x34000048);
		emit_word(&code, 0x94000040);
		emit_load_into_0(&code, 19, wide);
		emit_word(&code, 0xf9400bf3); /* ldr x19,[sp,#16] */
		break;
	case FAKE_GETTERS_AARCH64_JUMP:
		emit_word(&code, 0x14000000 | (uint32_t)((next.at - code.at) / 4));
		emit_entry(&next, 8, entry);
		emit_load_into_0(&next, 8, wide);
		emit_word(&next, 0xd65f03c0);
		return;
	case FAKE_GETTERS_AARCH64_CALLED: /* bl: what x8 is then is not known */
		emit_entry(&code, 8, entry);
		emit_word(&code, 0x94000040);
		emit_load_into_0(&code, 8, wide);
		break;
	case FAKE_GETTERS_AARCH64_TWO: /* cbz w8: on one way it is another variable */
		emit_entry(&code, 8, entry);
		emit_word(&code, 0x34000068);
		emit_entry(&code, 8, started);
		emit_load_into_0(&code, 8, wide);
		break;
	default: /* add w0,w0,#1: not the variable alone */
		emit_entry(&code, 8, entry);
		emit_load_into_0(&code, 8, wide);
		emit_word(&code, 0x11000400);
		break;
	}
	emit_end_aarch64(&code);
}

/* ---- x86-64 ---- */

static void write_getter(struct fake_libomp *omp, uint64_t at, uint64_t variable, bool wide)
{
	struct code code = {omp, at};
	struct code next = {omp, at + BEHIND_JUMP};

	emit_start(&code);
	switch ((enum fake_getters)omp->options.getters) {
	case FAKE_GETTERS_CLANG:
		emit_load(&code, variable, wide);
		EMIT(&code, 0x59, 0xc3); /* pop %rcx; ret */
		return;
	case FAKE_GETTERS_GCC:
		emit_load(&code, variable, wide);
		EMIT(&code, 0xc3);
		emit_load(&code, variable, wide);
		EMIT(&code, 0x48, 0x83, 0xc4, 0x08, 0xc3); /* add $8,%rsp; ret */
		return;
	case FAKE_GETTERS_DIRECT:
		if (wide)
			EMIT(&code, 0x48);
		EMIT(&code, 0x8b, 0x05);
		emit_distance(&code, variable);
		EMIT(&code, 0x58, 0xc3); /* pop %rax; ret */
		return;
	case FAKE_GETTERS_JUMP:
	case FAKE_GETTERS_JUMP_CET:
		EMIT(&code, 0xe9);
		emit_distance(&code, next.at);
		if (omp->options.getters == FAKE_GETTERS_JUMP_CET)
			EMIT(&next, 0xf3, 0x0f, 0x1e, 0xfa); /* endbr64 */
		emit_load(&next, variable, wide);
		EMIT(&next, 0xc3);
		return;
	case FAKE_GETTERS_ELSEWHERE:
		emit_load(&code, at, wide);
		EMIT(&code, 0x59, 0xc3);
		return;
	case FAKE_GETTERS_OTHER:
		emit_load(&code, variable, wide);
		EMIT(&code, 0x01, 0xc8, 0xc3); /* add %ecx,%eax: not the variable alone */
		return;
	default:
		return;
	}
}

void fake_variables_write(struct fake_libomp *omp)
{
	if (omp->options.published) {
		for (unsigned i = 0; i < FAKE_VARIABLE_COUNT; i++)
			fake_add_symbol(omp->target, omp->image.path, variables[i].name,
					fake_variable(omp, (enum fake_variable)i));
	}
	/* Of other machines there is no code. */
	if (omp->machine.pointer_size != 8 || omp->machine.big_endian)
		return;
	for (size_t i = 0; i < GETTER_COUNT; i++) {
		const uint64_t at = omp->image.base + exports[i].offset;
		const uint64_t variable = fake_variable(omp, returned[i]);
		const bool wide = variables[returned[i]].size == 0;

		if (omp->options.elf_machine == EM_AARCH64)
			write_getter_aarch64(omp, at, variable, wide);
		else
			write_getter(omp, at, variable, wide);
	}
}

void fake_set_variable(struct fake_libomp *omp, enum fake_variable variable, uint64_t value)
{
	const unsigned size = variables[variable].size;

	fake_put(omp->target, fake_variable(omp, variable), size ? size : omp->machine.pointer_size,
		 value);
}

void fake_set_text(struct fake_libomp *omp, enum fake_variable variable, const char *text)
{
	const uint64_t block = fake_allocate(omp, strlen(text) + 1);

	fake_put_string(omp->target, block, text);
	fake_set_variable(omp, variable, block);
}

void fake_set_list(struct fake_libomp *omp, uint64_t list, const int *items, int count)
{
	const uint64_t block = fake_allocate(omp, 4 * ((uint64_t)count + 1));

	for (int i = 0; i < count; i++)
		fake_put(omp->target, block + 4 * (uint64_t)i, 4, (uint64_t)items[i]);
	fake_set_member(omp, list, FAKE_OFFSET_kmp_nested_nthreads_t__nth, block);
	fake_set_member(omp, list, FAKE_OFFSET_kmp_nested_nthreads_t__used, (uint64_t)count);
}
