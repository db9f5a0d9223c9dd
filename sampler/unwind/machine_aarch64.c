/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind/expression.h"
#include "unwind/machine.h"

#if defined __aarch64__

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

enum { FP = 29, LR = 30, SP = 31, PC = 32 };

#define BIT(n) (UINT64_C(1) << (n))

/* Of stack that a function needs which calls nobody. */
#define LEAF_BYTES_MOST 4096

/* A rule for LR tells the return address: unwind.c takes it as that of PC. */
const struct machine this_machine = {
	.elf_machine = EM_AARCH64,
	.count = 33,
	.fp = FP,
	.sp = SP,
	.pc = PC,
	.kept = (BIT(29) - BIT(19)) | BIT(FP),
	.perf_mask = BIT(33) - 1,
	.perf_count = 33,
	.perf_order = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
		       17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32},
	.link_register = true,
};

/* Signatures are in the bits above those of the program's addresses, 48 as Linux has them. */
uint64_t machine_plain_address(uint64_t address)
{
	return address & (BIT(48) - 1);
}

/* libomp's __kmp_invoke_microtask has no rules. It pushes FP and LR, and then two others, as 13 to 19 do, or the other way
 * round, and has FP point to what it pushed last. */
bool machine_guess_caller(const struct registers *registers, const struct word_source *words,
			  unsigned guess, struct registers *caller)
{
	const uint64_t last = registers->value[FP], record = last + (guess ? 0 : 16);

	if (guess > 1 || !(registers->known & BIT(FP)) || last % 16 ||
	    last < registers->value[SP] ||
	    !words->read(words->context, record, &caller->value[FP]) ||
	    !words->read(words->context, record + 8, &caller->value[PC]))
		return false;
	caller->value[SP] = last + 32;
	caller->value[PC] = machine_plain_address(caller->value[PC]);
	caller->known = BIT(FP) | BIT(SP) | BIT(PC);
	return true;
}

/* LR is the return address as long as nobody is called, FP the caller's, unless it has pushed both and has one of its own.
 * Functions that call have SP at what FP points to. */
bool machine_leaf_caller(const struct registers *registers, const struct word_source *words,
			 struct registers *caller)
{
	const uint64_t frame = registers->value[FP], sp = registers->value[SP];
	const uint64_t returns = machine_plain_address(registers->value[LR]);
	uint64_t pushed, outer;

	if ((registers->known & (BIT(FP) | BIT(LR))) != (BIT(FP) | BIT(LR)))
		return false;
	*caller = *registers;
	caller->value[PC] = returns;
	if (frame >= sp && words->read(words->context, frame + 8, &pushed) &&
	    machine_plain_address(pushed) == returns && words->read(words->context, frame, &outer))
		caller->value[FP] = outer;
	if (caller->value[FP] >= sp && caller->value[FP] - sp < LEAF_BYTES_MOST)
		caller->value[SP] = caller->value[FP];
	caller->known &= ~BIT(LR);
	return true;
}

bool machine_stopped_registers(pid_t lwp, struct registers *registers)
{
	struct user_regs_struct user;
	struct iovec io = {&user, sizeof user};

	if (ptrace(PTRACE_GETREGSET, lwp, NT_PRSTATUS, &io) || io.iov_len != sizeof user)
		return false;
	for (unsigned i = 0; i < 31; i++)
		registers->value[i] = user.regs[i];
	registers->value[SP] = user.sp;
	registers->value[PC] = user.pc;
	registers->known = BIT(33) - 1;
	return true;
}

#endif
