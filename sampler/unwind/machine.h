/* SPDX-License-Identifier: Apache-2.0
 *
 * A machine's registers, by DWARF's numbers: all that depends on the machine. One file each answers it.
 */
#ifndef SAMPLER_MACHINE_H
#define SAMPLER_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define REGISTERS_MAX 34

struct registers {
	uint64_t value[REGISTERS_MAX];
	uint64_t known; /* a bit each */
	uint64_t
		saved; /* others, by the unwinder: the value is where it is kept, and is read when it is wanted */
};

struct machine {
	uint16_t elf_machine;
	unsigned count;      /* of registers that rules may speak of */
	unsigned fp, sp, pc; /* pc: the column in which rules tell the return address */
	uint64_t kept;       /* by a function for its caller */
	uint64_t
		perf_mask; /* what perf is asked for, and DWARF's numbers in the order of its bits: */
	unsigned perf_count;
	uint8_t perf_order[REGISTERS_MAX];
	bool link_register; /* without a rule the return address is still in its register */
};

extern const struct machine this_machine;

/* A return address as the code has it: without a signature. */
uint64_t machine_plain_address(uint64_t address);

struct word_source;

/* Of a function that has called, and whose rules leave the stack as it was: what its caller's registers may be, by where
 * such functions of a runtime keep them. One guess after the other; false: there is none more. */
bool machine_guess_caller(const struct registers *registers, const struct word_source *words,
			  unsigned guess, struct registers *caller);

/* Of the innermost function, which no information tells (the vDSO on arm64): its caller's registers, if it has called
 * nobody. false: not on this machine. */
bool machine_leaf_caller(const struct registers *registers, const struct word_source *words,
			 struct registers *caller);

/* Registers of a thread that we have stopped. */
bool machine_stopped_registers(pid_t lwp, struct registers *registers);

#endif /* SAMPLER_MACHINE_H */
