/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs that the C library, the C++ library, an OpenMP runtime or the processor ends: `ended WAY'. Thread 1 of a region
 * does it, in a function of its own.
 */
#include <cassert>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>

#define APART __attribute__((noinline))
#define ENDS(name) APART static void name(void)

static volatile int zero, minus = -1, sink;
static volatile long much = 200;

struct shape {
	shape();
	virtual ~shape()
	{
	}
	virtual int area() = 0;
};

APART static int area_of(shape *one)
{
	return one->area();
}

shape::shape()
{
	sink = area_of(this);
}

struct circle : shape {
	int area() override
	{
		return 3;
	}
};

/* ---- The libraries end it ------------------------------------------------------------------------------------------ */

ENDS(assertion)
{
	assert(zero == 1 && "rows add up");
}

ENDS(pure_virtual)
{
	circle one;
	sink = one.area();
}

ENDS(stack_smashed)
{
	char few[8];

	for (long i = 0; i < much; i++)
		static_cast<volatile char *>(few)[i] = 1;
}

ENDS(fortified)
{
	char few[8];

	__builtin___memset_chk(few, 1, static_cast<size_t>(much), sizeof(few));
	sink = few[3];
}

ENDS(freed_twice)
{
	void *volatile one = malloc(40);

	free(one);
	free(one);
}

ENDS(freed_elsewhere)
{
	char *volatile one = static_cast<char *>(malloc(40)) + 8;

	free(one);
}

ENDS(aborted)
{
	abort();
}

/* With KMP_CONSISTENCY_CHECK=all, of LLVM's runtime. */
ENDS(lock_not_set)
{
	omp_lock_t lock;

	omp_init_lock(&lock);
	omp_unset_lock(&lock);
}

/* ---- The processor refuses an instruction -------------------------------------------------------------------------- */

ENDS(trap)
{
	__builtin_trap();
}

ENDS(divides_by_zero)
{
	sink = 7 / zero;
}

ENDS(result_too_large)
{
	volatile int smallest = -2147483647 - 1;

	sink = smallest / minus;
}

#ifdef __x86_64__
ENDS(not_supported)
{
	/* vexp2pd, of Knights Landing alone. */
	__asm__ volatile(".byte 0x62,0xf2,0xfd,0x48,0xc8,0xc8");
}

ENDS(not_aligned)
{
	alignas(64) char some[128];

	__asm__ volatile("movaps (%0),%%xmm0" : : "r"(some + 8) : "xmm0", "memory");
}

ENDS(privileged)
{
	__asm__ volatile("hlt");
}

ENDS(returns_nowhere)
{
	__asm__ volatile("movq %0,(%%rsp)\n\tret" : : "r"(0x4141414141414141));
}
#endif

ENDS(no_address)
{
	sink = *reinterpret_cast<volatile char *>(0x4141414141414141);
}

ENDS(calls_null)
{
	void (*volatile function)(void) = nullptr;

	function();
	sink = 1;
}

ENDS(calls_data)
{
	static char some[64];
	void (*volatile function)(void) = reinterpret_cast<void (*)(void)>(some);

	function();
	sink = 1;
}

/* ---- Memory is not to be used so ----------------------------------------------------------------------------------- */

ENDS(null_pointer)
{
	sink = *reinterpret_cast<volatile char *>(24 + zero);
}

ENDS(wild_pointer)
{
	sink = *reinterpret_cast<volatile char *>(0x41414141);
}

ENDS(read_only)
{
	const char *volatile text = "a text";

	*const_cast<volatile char *>(text) = 1;
}

ENDS(closed)
{
	sink = *static_cast<volatile char *>(
		mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

/* ---- It has sent itself the signal --------------------------------------------------------------------------------- */

ENDS(sends_segv)
{
	raise(SIGSEGV);
}

ENDS(sends_fpe)
{
	raise(SIGFPE);
}

ENDS(sends_ill)
{
	raise(SIGILL);
}

#define WAY(name)                                                                                  \
	if (!strcmp(way, #name))                                                                   \
	return name

static void (*found(const char *way))(void)
{
	WAY(assertion);
	WAY(pure_virtual);
	WAY(stack_smashed);
	WAY(fortified);
	WAY(freed_twice);
	WAY(freed_elsewhere);
	WAY(aborted);
	WAY(lock_not_set);
	WAY(trap);
	WAY(divides_by_zero);
	WAY(result_too_large);
#ifdef __x86_64__
	WAY(not_supported);
	WAY(not_aligned);
	WAY(privileged);
	WAY(returns_nowhere);
#endif
	WAY(no_address);
	WAY(calls_null);
	WAY(calls_data);
	WAY(null_pointer);
	WAY(wild_pointer);
	WAY(read_only);
	WAY(closed);
	WAY(sends_segv);
	WAY(sends_fpe);
	WAY(sends_ill);
	return nullptr;
}

int main(int argc, char **argv)
{
	void (*end)(void) = argc > 1 ? found(argv[1]) : nullptr;

	if (!end)
		return 2;
		/* The others wait for it. */
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num() == 1)
		end();
	return 0;
}
