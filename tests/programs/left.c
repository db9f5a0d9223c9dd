/* SPDX-License-Identifier: Apache-2.0
 *
 * The code of a region is left by a jump, and the program goes on elsewhere, while the other threads of its team wait. As the
 * argument says:
 *   jump      longjmp out of a region
 *   handler   siglongjmp, from the handler of a signal
 *   nested    longjmp out of a region inside another one, in whose code the thread goes on
 *   onward    longjmp out of a region, and the thread begins another one
 * These are innocent:
 *   within    the jump stays inside the region
 *   stack     the region's code goes on on a stack of its own (makecontext)
 *   fibres    all threads of the region take turns between two such stacks each, and stay on one
 *   begun     the jump was out of a function that had ended its region
 *   kernel    the region's code calls code without unwind information, on whose stack an old address of main lies (x86-64)
 *   inner     a region's code ends with a region inside it, for which the optimiser lets it make way; in that one's code
 *   ended     the same, at the end of the inner region
 * Prints a line as soon as it stays where it is.
 */
#include <omp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static jmp_buf back;
static sigjmp_buf from_handler;
static ucontext_t here, there;
static char stack[1 << 18];
static const char *way;

static int is(const char *name)
{
	return strcmp(way, name) == 0;
}

static __attribute__((noinline)) void stay(void)
{
	puts("stays");
	fflush(stdout);
	for (;;)
		pause();
}

static void jump_from_handler(int number)
{
	(void)number;
	siglongjmp(from_handler, 1);
}

static __attribute__((noinline)) void search(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0)
			longjmp(back, 1);
	}
}

static void jump(void)
{
	if (setjmp(back) == 0)
		search();
	stay();
}

static void handler(void)
{
	signal(SIGUSR1, jump_from_handler);
	if (sigsetjmp(from_handler, 1) == 0) {
#pragma omp parallel num_threads(3)
		{
			if (omp_get_thread_num() == 0)
				raise(SIGUSR1);
		}
	}
	stay();
}

static void nested(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1)
			jump();
	}
}

static void onward(void)
{
	if (setjmp(back) == 0)
		search();
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0)
			stay();
	}
}

struct fibres {
	ucontext_t home, fibre[2];
	char stack[2][1 << 16];
	int turns;
};

static struct fibres fibres[3];

static void take_turns(int thread, int self)
{
	struct fibres *const mine = &fibres[thread];

	while (++mine->turns < 10)
		swapcontext(&mine->fibre[self], &mine->fibre[1 - self]);
	if (thread == 0)
		stay();
	for (;;)
		pause();
}

static void schedule(void)
{
#pragma omp parallel num_threads(3)
	{
		const int thread = omp_get_thread_num();
		struct fibres *const mine = &fibres[thread];

		for (int i = 0; i < 2; i++) {
			getcontext(&mine->fibre[i]);
			mine->fibre[i].uc_link = &mine->home;
			mine->fibre[i].uc_stack.ss_sp = mine->stack[i];
			mine->fibre[i].uc_stack.ss_size = sizeof(mine->stack[i]);
			makecontext(&mine->fibre[i], (void (*)(void))take_turns, 2, thread, i);
		}
		swapcontext(&mine->home, &mine->fibre[0]);
	}
}

static void within(void)
{
#pragma omp parallel num_threads(3)
	{
		jmp_buf mine;

		if (setjmp(mine) == 0)
			longjmp(mine, 1);
		if (omp_get_thread_num() == 0)
			stay();
	}
}

static void on_own_stack(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0) {
			getcontext(&there);
			there.uc_stack.ss_sp = stack;
			there.uc_stack.ss_size = sizeof(stack);
			makecontext(&there, stay, 0);
			swapcontext(&here, &there);
		}
	}
}

static __attribute__((noinline)) void leave(void)
{
#pragma omp parallel num_threads(3)
	{
	}
	longjmp(back, 1);
}

static void begun(void)
{
	if (setjmp(back) == 0)
		leave();
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0)
			stay();
	}
}

/* Without an argument, which would be on the stack of who hands it on: no code could make way then. */
static void made_way(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2)
			{
				if (is(omp_get_thread_num() == 0 ? "inner" : "ended"))
					stay();
			}
		}
	}
}

#ifdef __x86_64__
void kernel(void *address, void (*called)(void));

/* A debugger that has to guess takes the word on top of the stack for the address to return to. */
__asm__(".text\n"
	".type kernel, @function\n"
	"kernel:\n"
	"	subq $24, %rsp\n"
	"	movq %rdi, (%rsp)\n"
	"	call *%rsi\n"
	"	addq $24, %rsp\n"
	"	ret\n"
	".size kernel, .-kernel\n");

static __attribute__((noinline)) void without_unwind_information(void)
{
	void *address = __builtin_return_address(0);

#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 0)
			kernel(address, stay);
	}
}
#endif

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	way = argv[1];
	if (is("jump"))
		jump();
	if (is("handler"))
		handler();
	if (is("nested"))
		nested();
	if (is("onward"))
		onward();
	if (is("within"))
		within();
	if (is("stack"))
		on_own_stack();
	if (is("fibres"))
		schedule();
	if (is("begun"))
		begun();
	if (is("inner") || is("ended"))
		made_way();
#ifdef __x86_64__
	if (is("kernel"))
		without_unwind_information();
#endif
}
