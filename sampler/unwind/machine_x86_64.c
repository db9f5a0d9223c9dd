/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind/machine.h"

#if defined __x86_64__

#include <asm/perf_regs.h>
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R12 = 12, R15 = 15, RIP = 16 };

#define BIT(n) (UINT64_C(1) << (n))

const struct machine this_machine = {
	.elf_machine = EM_X86_64,
	.count = 17,
	.fp = RBP,
	.sp = RSP,
	.pc = RIP,
	.kept = BIT(RBX) | BIT(RBP) | BIT(12) | BIT(13) | BIT(14) | BIT(15),
	.perf_mask =
		(BIT(PERF_REG_X86_IP + 1) - 1) | (BIT(PERF_REG_X86_R15 + 1) - BIT(PERF_REG_X86_R8)),
	.perf_count = 17,
	.perf_order = {RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, RIP, 8, 9, 10, 11, 12, 13, 14, 15},
};

uint64_t machine_plain_address(uint64_t address)
{
	return address;
}

bool machine_guess_caller(const struct registers *registers, const struct word_source *words,
			  unsigned guess, struct registers *caller)
{
	(void)registers;
	(void)words;
	(void)guess;
	(void)caller;
	return false;
}

bool machine_leaf_caller(const struct registers *registers, const struct word_source *words,
			 struct registers *caller)
{
	(void)registers;
	(void)words;
	(void)caller;
	return false;
}

bool machine_stopped_registers(pid_t lwp, struct registers *registers)
{
	struct user_regs_struct user;
	struct iovec io = {&user, sizeof user};

	if (ptrace(PTRACE_GETREGSET, lwp, NT_PRSTATUS, &io) || io.iov_len != sizeof user)
		return false;
	const uint64_t values[17] = {user.rax, user.rdx, user.rcx, user.rbx, user.rsi, user.rdi,
				     user.rbp, user.rsp, user.r8,  user.r9,  user.r10, user.r11,
				     user.r12, user.r13, user.r14, user.r15, user.rip};

	for (unsigned i = 0; i < 17; i++)
		registers->value[i] = values[i];
	registers->known = BIT(17) - 1;
	return true;
}

#endif
