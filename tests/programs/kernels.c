/* SPDX-License-Identifier: Apache-2.0
 *
 * All threads of a region are in code that no unwind information covers, as the kernels of a linear algebra library are
 * written: it saves what it has to, and uses the frame pointer for something else. As the argument says:
 *   followed  its instructions lead to where it returns
 *   hidden    they do not: it returns by a jump
 *   stale     neither, and its stack holds addresses to return to of calls that are over
 *   made      hidden, in code that the program has made itself
 * Prints a line as soon as all are there.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void kernel_t(volatile int *go, void **words);

void kernel_followed(volatile int *go, void **words);
void kernel_hidden(volatile int *go, void **words);
extern const char kernel_hidden_end[];

/* clang-format off */
#define KERNEL(name, leave)                                                                       \
	__asm__(".text\n"                                                                          \
		".globl " name "\n"                                                                \
		".type " name ", @function\n"                                                      \
		name ":\n"                                                                         \
		"	subq $152, %rsp\n"                                                         \
		"	movq %rbx, (%rsp)\n"                                                       \
		"	movq %rbp, 8(%rsp)\n"                                                      \
		"	movq (%rsi), %rax\n"                                                       \
		"	movq %rax, 32(%rsp)\n"                                                     \
		"	movq 8(%rsi), %rax\n"                                                      \
		"	movq %rax, 56(%rsp)\n"                                                     \
		"	leaq 64(%rsp), %rbp\n"                                                     \
		"	movl $7, %ebx\n"                                                           \
		"1:	pause\n"                                                                   \
		"	cmpl $0, (%rdi)\n"                                                         \
		"	je 1b\n"                                                                   \
		"	movq (%rsp), %rbx\n"                                                       \
		"	movq 8(%rsp), %rbp\n" leave                                                \
		".size " name ", .-" name "\n"                                                     \
		".globl " name "_end\n"                                                            \
		name "_end:\n")
/* clang-format on */

KERNEL("kernel_followed", "	addq $152, %rsp\n	ret\n");
KERNEL("kernel_hidden", "	movq 152(%rsp), %rdx\n	addq $160, %rsp\n	jmp *%rdx\n");

static volatile int go;
static int arrived;
static void *stale[2];
static kernel_t *made;

/* Of this function's call, and of its caller's. */
static __attribute__((noinline)) void remember(void **words)
{
	words[0] = __builtin_return_address(0);
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noinline)) void other_work(void **words)
{
	remember(words);
	words[1] = __builtin_return_address(0);
}

static __attribute__((noinline)) void wait_for_all(void)
{
	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == omp_get_num_threads()) {
		puts("stays");
		fflush(stdout);
	}
}

/* The call before it makes no way for the kernel. */
static void after_all(void)
{
	__asm__ volatile("" : : : "memory");
}

static __attribute__((noinline)) void solve(kernel_t *kernel)
{
#pragma omp parallel num_threads(3)
	{
		wait_for_all();
		kernel(&go, stale);
		after_all();
	}
}

static __attribute__((noinline)) void solve_directly(void)
{
#pragma omp parallel num_threads(3)
	{
		wait_for_all();
		kernel_hidden(&go, stale);
		after_all();
	}
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	const size_t size = (size_t)(kernel_hidden_end - (const char *)kernel_hidden);

	alarm(900);
	if (strcmp(way, "followed") == 0)
		solve(kernel_followed);
	if (strcmp(way, "hidden") == 0)
		solve(kernel_hidden);
	if (strcmp(way, "stale") == 0) {
		other_work(stale);
		solve_directly();
	}
	if (strcmp(way, "made") == 0) {
		void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (code == MAP_FAILED)
			return 2;
		made = (kernel_t *)memcpy(code, (const void *)kernel_hidden, size);
		solve(made);
	}
	return 0;
}
