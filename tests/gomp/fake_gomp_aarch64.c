/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_gomp_aarch64.h"

#define LIBC UINT64_C(0x7f0080000000)
#define LINKERS (LIBC + 0x800) /* _rtld_global */
#define STACK_USER 0x100
#define STACK_USED 0x110

/* ---- Code ---- */

struct code {
	struct fake_target *target;
	uint64_t at;
};

static void add(struct code *code, uint32_t word)
{
	fake_put(code->target, code->at, 4, word);
	code->at += 4;
}

static void add_adrp(struct code *code, uint32_t into, uint64_t address)
{
	const uint64_t pages = (address >> 12) - (code->at >> 12);

	add(code, 0x90000000 | (uint32_t)(pages & 3) << 29 | (uint32_t)(pages >> 2 & 0x7ffff) << 5 |
			  into);
}

/* bti c; adrp x1; ldr x1, [x1, slot]; mrs x0, tpidr_el0; add x0, x0, x1; ldr w0 or, wide, x2, [x0, offset] */
static struct code begin_function(struct fake_target *target, uint64_t at, uint64_t word,
				  uint64_t offset, bool wide)
{
	struct code code = {target, at};

	add(&code, 0xd503245f);
	add_adrp(&code, 1, word);
	add(&code, 0xf9400021 | (uint32_t)(word & 0xfff) / 8 << 10);
	add(&code, 0xd53bd040);
	add(&code, 0x8b010000);
	if (wide)
		add(&code, 0xf9400002 | (uint32_t)offset / 8 << 10);
	else
		add(&code, 0xb9400000 | (uint32_t)offset / 4 << 10);
	return code;
}

/* add x2, x2, icv; adrp x3; add x3, x3, global; csel x0, x3, x2, eq; ldrb w0, [x0, dyn_var] */
static void choose_icvs(struct code *code, uint64_t icv, uint64_t dyn_var, uint64_t global_icv)
{
	add(code, 0x91000042 | (uint32_t)icv << 10);
	add_adrp(code, 3, global_icv);
	add(code, 0x91000063 | (uint32_t)(global_icv & 0xfff) << 10);
	add(code, 0x9a820060);
	add(code, 0x39400000 | (uint32_t)dyn_var << 10);
}

/* mov x0, size; bl gomp_malloc */
static void allocate(struct code *code, uint64_t size)
{
	add(code, 0xd2800000 | (uint32_t)size << 5);
	add(code, 0x94000400);
}

void fake_gomp_put_function_aarch64(struct fake_target *target,
				    const struct fake_gomp_layout *layout, uint64_t at,
				    unsigned number, uint64_t word, uint64_t global_icv)
{
	const uint64_t offsets[] = {
		40, 44, 48, 16, layout->task, layout->task, layout->team_num, layout->task};
	const bool wide = (number >= 3 && number <= 5) || number == 7;
	struct code code = begin_function(target, at, word, offsets[number], wide);

	if (number == 4)
		choose_icvs(&code, layout->icv, fake_gomp_dyn_var(layout), global_icv);
	else if (number == 5) /* ldrb w0, [x2, final_task] */
		add(&code, 0x39400040 | (uint32_t)fake_gomp_final_task(layout) << 10);
	else if ((number == 6 && layout->team_num == 0) ||
		 (number == 7 && layout->taskgroup_size == 0))
		code.at = at;
	else if (number == 7)
		allocate(&code, layout->taskgroup_size);
	add(&code, 0xd65f03c0);
}

/* ---- The C library ---- */

/* Bits, elements, offset. */
static void publish(struct fake_target *target, const char *name, uint64_t at, unsigned bits,
		    uint64_t offset)
{
	fake_put(target, at, 4, bits);
	fake_put(target, at + 4, 4, 1);
	fake_put(target, at + 8, 4, offset);
	fake_add_symbol(target, "/lib/libc.so.6", name, at);
}

void fake_gomp_put_libc_aarch64(struct fake_target *target)
{
	fake_map(target, LIBC, 0x1000);
	publish(target, "_thread_db_pthread_tid", LIBC, 32, 0xd0);
	publish(target, "_thread_db_pthread_list", LIBC + 0x10, 128, FAKE_PTHREAD_LIST);
	publish(target, "_thread_db_rtld_global__dl_stack_user", LIBC + 0x20, 128, STACK_USER);
	publish(target, "_thread_db_rtld_global__dl_stack_used", LIBC + 0x30, 128, STACK_USED);
	fake_put(target, LIBC + 0x40, 4, FAKE_PTHREAD_BYTES);
	fake_add_symbol(target, "/lib/libc.so.6", "_thread_db_sizeof_pthread", LIBC + 0x40);
	fake_add_symbol(target, "/lib/ld-linux-aarch64.so.1", "_rtld_global", LINKERS);
}

/* One behind the other, and in a circle. */
static void link_nodes(struct fake_target *target, uint64_t head, const uint64_t *pthreads,
		       unsigned count)
{
	uint64_t last = head;

	for (unsigned i = 0; i < count; i++) {
		const uint64_t node = pthreads[i] + FAKE_PTHREAD_LIST;

		fake_put(target, last, 8, node);
		fake_put(target, node + 8, 8, last);
		last = node;
	}
	fake_put(target, last, 8, head);
	fake_put(target, head + 8, 8, last);
}

void fake_gomp_list_threads_aarch64(struct fake_target *target, const uint64_t *pthreads,
				    unsigned count)
{
	link_nodes(target, LINKERS + STACK_USER, pthreads, 1);
	link_nodes(target, LINKERS + STACK_USED, pthreads + 1, count - 1);
	for (unsigned i = 0; i < count; i++)
		fake_put(target, pthreads[i] + 0xd0, 4, 100 + i);
}
