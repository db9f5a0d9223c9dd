/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind/machine.h"

#if defined __aarch64__

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

enum { FP = 29, LR = 30, SP = 31, PC = 32 };

#define BIT(n) (UINT64_C(1) << (n))

/* A rule for LR tells the return address: unwind.c takes it as that of PC. */
const struct machine this_machine = {
	.elf_machine = EM_AARCH64,
	.count = 33,
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
