/* SPDX-License-Identifier: Apache-2.0
 *
 * Crashes, the first argument says which: a stack that overflows (OVERFLOWS), or something else beside a stack
 * (INNOCENT). What begins with `main_' is done by the first thread, all else by thread 1 of a region; the test sets
 * OMP_STACKSIZE=1M. Members that are not meant sleep until the end.
 */
#include <alloca.h>
#include <assert.h>
#include <omp.h>
#include <pthread.h>
#include <regex>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#define APART __attribute__((noinline))
#define PAGE 4096UL
#define kB *1024UL
#define MB *1048576UL

static volatile long one = 1, sink;

static void use(volatile void *place)
{
	__asm__ volatile("" ::"r"(place) : "memory");
}

static void set(uintptr_t address)
{
	*(volatile char *)address = 1;
}

static uintptr_t page_of(volatile void *place)
{
	return (uintptr_t)place & ~(PAGE - 1);
}

static uintptr_t bounds(uintptr_t *high)
{
	pthread_attr_t attributes;
	void *low;
	size_t size;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &low, &size);
	pthread_attr_destroy(&attributes);
	*high = (uintptr_t)low + size;
	return (uintptr_t)low;
}

/* The lowest address of the thread's stack. */
static uintptr_t low(void)
{
	uintptr_t high;

	return bounds(&high);
}

struct scenario {
	const char *name;
	void (*code)(void);
	struct scenario *next;
};
static struct scenario *scenarios;
struct listed {
	struct scenario self;
	listed(const char *name, void (*code)(void)) : self{ name, code, scenarios }
	{
		scenarios = &self;
	}
};
#define SCENARIO(name)                              \
	static void name(void);                         \
	static struct listed of_##name(#name, name);    \
	APART static void name(void)
#define OVERFLOWS SCENARIO
#define INNOCENT SCENARIO

/* ---- Functions that take much of a stack ---- */

APART static long deeper(long n)
{
	long found = n < 0 ? 0 : deeper(n + one);

	use(&found); /* it is no loop */
	return found + n;
}

APART static long fibonacci(long n, volatile char *outer)
{
	char rows[200];

	use(rows);
	rows[n % 200] = (char)n;
	return fibonacci(n + one, rows) + rows[3] + (outer ? outer[0] : 0);
}

APART static long even(long n);
APART static long odd(long n)
{
	char row[64];

	use(row);
	return even(n + one) + row[n % 64];
}

APART static long even(long n)
{
	char row[96];

	use(row);
	return odd(n + one) + row[n % 64];
}

APART static void from_its_beginning(void)
{
	char grid[3 MB];

	use(grid);
	grid[one] = 1;
	use(grid);
}

APART static void from_its_end(void)
{
	char grid[3 MB];

	use(grid);
	grid[sizeof grid - 1 - one] = 1;
	use(grid);
	sink += grid[7];
}

APART static void calls_first(void)
{
	char grid[3 MB];

	use(grid);
	puts("begins");
	use(grid);
}

APART static void beyond_the_guard(void)
{
	char grid[300 MB];

	use(grid);
	grid[one] = 1;
	use(grid);
}

APART static void variable_length(size_t bytes)
{
	char row[bytes];

	use(row);
	memset(row, 1, bytes);
	use(row);
}

APART static void more_and_more(long times)
{
	for (long i = 0; i < times; i++) {
		char *part = (char *)alloca(4096);

		use(part);
		part[0] = 1;
	}
}

APART static void little_left(size_t bytes)
{
	char row[bytes];

	use(row);
	fibonacci(1, row);
	use(row);
}

/* So deep that not more than this is left of the stack. */
APART static void with_left(size_t bytes, void (*then)(uintptr_t), uintptr_t argument)
{
	char here[16], *row;

	use(here);
	row = (char *)alloca((uintptr_t)here - low() - bytes);
	use(row);
	then(argument);
	use(row);
}

static void *in_thread(void *code)
{
	((void (*)(void))code)();
	return NULL;
}

static void with_stack(size_t size, void *stack, void (*code)(void))
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	if (stack)
		pthread_attr_setstack(&attributes, stack, size);
	else
		pthread_attr_setstacksize(&attributes, size);
	pthread_create(&thread, &attributes, in_thread, (void *)code);
	pthread_join(thread, NULL);
}

static char *mapped(size_t size, int protection)
{
	return (char *)mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Memory with a page in front of it that may not be used. */
static char *guarded(size_t size)
{
	char *memory = mapped(size + PAGE, PROT_READ | PROT_WRITE);

	mprotect(memory, PAGE, PROT_NONE);
	return memory + PAGE;
}

static ucontext_t home, other;
static void in_coroutine(void (*code)(void))
{
	getcontext(&other);
	other.uc_stack.ss_sp = guarded(256 kB);
	other.uc_stack.ss_size = 256 kB;
	other.uc_link = &home;
	makecontext(&other, code, 0);
	swapcontext(&home, &other);
}

static void ends(int)
{
	sink++;
	abort();
}

static void on_signal(int number, int flags, void (*handler)(int))
{
	static char alternate[256 kB];
	stack_t stack = {};
	struct sigaction action = {};

	stack.ss_sp = alternate;
	stack.ss_size = sizeof alternate;
	sigaltstack(&stack, NULL);
	action.sa_handler = handler;
	action.sa_flags = flags;
	sigaction(number, &action, NULL);
}

/* ---- Stacks that overflow ---- */

OVERFLOWS(main_recursion) { sink = deeper(1); }
OVERFLOWS(main_rows) { sink = fibonacci(1, NULL); }
OVERFLOWS(main_variable) { variable_length(one * 64 MB); }
OVERFLOWS(main_alloca) { more_and_more(one * 100000); }
OVERFLOWS(main_regex)
{
	std::string text(200000, 'a');

	sink = std::regex_match(text, std::regex("(a|b)*c"));
}
OVERFLOWS(recursion) { sink = deeper(1); }
OVERFLOWS(rows) { sink = fibonacci(1, NULL); }
OVERFLOWS(two_functions) { sink = odd(1); }
OVERFLOWS(first_element) { from_its_beginning(); }
OVERFLOWS(last_element) { from_its_end(); }
OVERFLOWS(call) { calls_first(); }
OVERFLOWS(huge) { beyond_the_guard(); }
OVERFLOWS(variable) { variable_length(one * 6 MB); }
OVERFLOWS(alloca_loop) { more_and_more(one * 100000); }
OVERFLOWS(outer_takes_most) { little_left(one * 900 kB); }
OVERFLOWS(thread_small) { with_stack(32 kB, NULL, [] { sink = fibonacci(1, NULL); }); }
OVERFLOWS(thread_large) { with_stack(4 MB, NULL, [] { variable_length(one * 5 MB); }); }
OVERFLOWS(thread_own_stack) { with_stack(1 MB, guarded(1 MB), [] { sink = deeper(1); }); }
OVERFLOWS(coroutine) { in_coroutine([] { sink = deeper(1); }); }
OVERFLOWS(handler) { signal(SIGSEGV, ends); sink = deeper(1); }
OVERFLOWS(handler_large) { signal(SIGSEGV, ends); from_its_beginning(); }
OVERFLOWS(alternate) { on_signal(SIGSEGV, SA_ONSTACK, ends); sink = fibonacci(1, NULL); }

/* ---- Pointers to where no memory is, near a stack ---- */

INNOCENT(guards_last_byte) { set(low() - 1); }
INNOCENT(guards_last_bytes) { set(low() - 64); }
INNOCENT(guards_first_byte) { set(low() - PAGE); }
INNOCENT(reads_guard) { sink = *(volatile char *)(low() - 8); }
INNOCENT(copies_to_guard) { memset((char *)low() - PAGE, 1, one * 100); }
INNOCENT(copies_from_guard) { sink = (long)strlen((char *)low() - 100); }
INNOCENT(main_below_limit) { set(low() - 2 * PAGE); }
INNOCENT(main_far_below) { set(low() - 16 MB); }
APART static void runs(uintptr_t from, long step) { for (;; from += step) set(from); }
INNOCENT(runs_down) { char row[64]; runs((uintptr_t)row - 4096, -64); use(row); }
INNOCENT(main_runs_down) { char row[64]; runs((uintptr_t)row - 4096, -64); use(row); }
INNOCENT(main_runs_up) { uintptr_t high; bounds(&high); runs(high - 64, 1); }
INNOCENT(main_copies_up) { char row[64]; use(row); memset(row, 1, one * 64 MB); use(row); }
static uintptr_t others;
INNOCENT(others_guard) { with_stack(64 kB, NULL, [] { others = low(); }); with_stack(64 kB, NULL, [] { set(low() - 16); }); }
INNOCENT(ended_threads_stack)
{
	with_stack(64 MB, NULL, [] { char row[64]; use(row); others = (uintptr_t)row; });
	set(others);
}
INNOCENT(full_and_null) { with_left(64 kB, set, 16); }
INNOCENT(fuller_and_null) { with_left(9 kB, set, 16); }
INNOCENT(fuller_and_wild) { with_left(9 kB, set, low() - 2000); }
INNOCENT(main_full_and_null) { with_left(64 kB, set, 16); }
INNOCENT(null) { set(8); }
INNOCENT(null_and_index) { char row[40000]; use(row); row[0] = 1; set(one * 0x4000); use(row); }
INNOCENT(large_that_fits) { char row[512 kB]; use(row); row[0] = 1; set(8); use(row); }
INNOCENT(large_and_guard) { char row[512 kB]; use(row); row[0] = 1; set(low() - 8); use(row); }
INNOCENT(variable_that_fits) { char row[one * 512 kB]; use(row); row[0] = 1; set(low() - 8); use(row); }
INNOCENT(alloca_that_fits) { char *row = (char *)alloca(one * 512 kB); use(row); row[0] = 1; set(low() - PAGE); use(row); }
INNOCENT(index_below) { char row[64]; use(row); row[-one * (long)((uintptr_t)row - low() + 32)] = 1; use(row); }
INNOCENT(main_index_below) { char row[64]; use(row); row[-one * (9L << 20)] = 1; use(row); }
INNOCENT(unmapped) { char *memory = mapped(1 MB, PROT_READ | PROT_WRITE); munmap(memory, 1 MB); set((uintptr_t)memory + 1 MB - 8); }
INNOCENT(given_back) { char *memory = (char *)malloc(64 MB); use(memory); free(memory); set((uintptr_t)memory + 32 MB); }
INNOCENT(own_guard) { set((uintptr_t)guarded(1 MB) - 8); }
INNOCENT(non_canonical) { set((uintptr_t)one << 60); }
INNOCENT(main_non_canonical) { set((uintptr_t)one << 60); }
INNOCENT(kernels) { set(UINTPTR_MAX - 100); }

/* ---- Memory that may not be used so ---- */

INNOCENT(constant_text) { char *text = (char *)"constant"; use(text); set((uintptr_t)text); }
INNOCENT(code) { set((uintptr_t)(void *)&puts); }
INNOCENT(own_frame)
{
	char row[20000];

	use(row);
	mprotect((void *)(page_of(row) + PAGE), PAGE, PROT_NONE);
	set(page_of(row) + PAGE + 8);
	use(row);
}
INNOCENT(main_own_frame)
{
	char row[20000];

	use(row);
	mprotect((void *)(page_of(row) + PAGE), PAGE, PROT_NONE);
	set(page_of(row) + PAGE + 8);
	use(row);
}
INNOCENT(own_top) { char row[64]; use(row); mprotect((void *)page_of(row), PAGE, PROT_READ); row[one] = 1; use(row); }
INNOCENT(main_own_top) { char row[64]; use(row); mprotect((void *)page_of(row), PAGE, PROT_READ); row[one] = 1; use(row); }
APART static void in_callee(uintptr_t address) { char row[9000]; use(row); row[0] = 1; set(address); use(row); }
INNOCENT(callers_frame)
{
	char row[20000];

	use(row);
	mprotect((void *)(page_of(row) + PAGE), PAGE, PROT_NONE);
	in_callee(page_of(row) + PAGE + 8);
	use(row);
}
INNOCENT(main_callers_frame)
{
	char row[20000];

	use(row);
	mprotect((void *)(page_of(row) + PAGE), PAGE, PROT_NONE);
	in_callee(page_of(row) + PAGE + 8);
	use(row);
}
static volatile const char *beyond_a_file(void)
{
	FILE *file = tmpfile();

	return (char *)mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fileno(file), 0);
}
INNOCENT(cut_file) { sink = *beyond_a_file(); }

/* ---- Jumps to nowhere, stack pointers that are damaged ---- */

INNOCENT(calls_null) { ((void (*)(void))(one - 1))(); }
INNOCENT(calls_number) { ((void (*)(void))(one * 0x1234))(); }
INNOCENT(calls_data) { static char data[64]; use(data); ((void (*)(void))data)(); }
INNOCENT(calls_stack) { char row[64]; use(row); ((void (*)(void))row)(); }
INNOCENT(calls_guard) { ((void (*)(void))(low() - 64))(); }
INNOCENT(main_calls_below) { ((void (*)(void))(low() - 64))(); }
APART static void smashes(void) { uintptr_t row[2]; use(row); memset(row, 0x41, one * 96); use(row); }
INNOCENT(smashed) { smashes(); }
APART static void checked(void) __attribute__((optimize("stack-protector-all")));
APART static void checked(void) { char row[16]; use(row); memset(row, 'A', one * 64); use(row); }
INNOCENT(smashed_and_checked) { checked(); }
#if defined(__x86_64__)
APART static void moves_stack(uintptr_t to)
{
	use(&to);
	__asm__ volatile("mov %0, %%rsp\n\tpush %%rax" ::"r"(to) : "memory");
}
#else
APART static void moves_stack(uintptr_t to)
{
	use(&to);
	__asm__ volatile("mov sp, %0\n\tstr xzr, [sp, #-16]!" ::"r"(to) : "memory");
}
#endif
INNOCENT(stack_at_nothing) { moves_stack(16); }
INNOCENT(stack_far_away) { moves_stack(0x700000000000); }
INNOCENT(stack_in_guard) { moves_stack(low() - 256); }
INNOCENT(stack_in_heap) { char *memory = guarded(64 kB); moves_stack((uintptr_t)memory); }
INNOCENT(main_stack_below) { moves_stack(low() - 512 kB); }
#if defined(__x86_64__)
INNOCENT(not_aligned) { char row[64]; use(row); __asm__ volatile("movaps %%xmm0, 1(%0)" ::"r"(page_of(row)) : "memory"); }
INNOCENT(privileged) { __asm__ volatile("hlt"); }
#endif

/* ---- Other signals, and handlers ---- */

INNOCENT(killed) { kill(getpid(), SIGSEGV); }
INNOCENT(raised) { raise(SIGSEGV); }
INNOCENT(sent_to_thread) { pthread_kill(pthread_self(), SIGBUS); }
INNOCENT(aborted) { abort(); }
INNOCENT(asserted) { assert(one == 2); }
INNOCENT(trapped) { __builtin_trap(); }
INNOCENT(freed_twice) { char *memory = (char *)malloc(64); use(memory); free(memory); use(memory); free(memory); }
INNOCENT(handled_null) { on_signal(SIGSEGV, SA_ONSTACK, ends); set(8); }
INNOCENT(handled_null_here) { signal(SIGSEGV, ends); set(8); }
INNOCENT(handled_guard) { on_signal(SIGSEGV, SA_ONSTACK, ends); set(low() - 8); }
INNOCENT(null_in_handler) { on_signal(SIGUSR1, SA_ONSTACK, [](int) { set(8); }); raise(SIGUSR1); }
INNOCENT(guard_in_handler) { on_signal(SIGUSR1, SA_ONSTACK, [](int) { set(low() - 8); }); raise(SIGUSR1); }
static void repairs(int) { mprotect((void *)others, PAGE, PROT_READ | PROT_WRITE); }
INNOCENT(ended_later)
{
	others = (uintptr_t)mapped(PAGE, PROT_NONE);
	on_signal(SIGSEGV, SA_ONSTACK, repairs);
	set(others);
	on_signal(SIGUSR1, SA_ONSTACK, ends);
	raise(SIGUSR1);
}
INNOCENT(null_in_coroutine) { in_coroutine([] { set(8); }); }
INNOCENT(guard_in_coroutine) { in_coroutine([] { set((uintptr_t)other.uc_stack.ss_sp - 8); }); }
INNOCENT(null_in_thread) { with_stack(32 kB, NULL, [] { set(8); }); }
INNOCENT(null_on_own_stack) { with_stack(1 MB, guarded(1 MB), [] { set(8); }); }
INNOCENT(guard_of_own_stack) { with_stack(1 MB, guarded(1 MB), [] { set(low() - 8); }); }

int main(int argc, char **argv)
{
	struct scenario *found = scenarios;

	alarm(120); /* what outlives its test must not stay */
	while (found && (argc < 2 || strcmp(found->name, argv[1]) != 0))
		found = found->next;
	if (!found)
		return 2;
	if (strncmp(found->name, "main_", 5) == 0)
		found->code();
	else {
#pragma omp parallel num_threads(3)
		{
			if (omp_get_thread_num() == 1)
				found->code();
			else
				sleep(5);
		}
	}
	return 0;
}
