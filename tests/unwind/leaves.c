/* SPDX-License-Identifier: Apache-2.0
 *
 * leaves SECONDS PROGRAM...: who called the function without a frame in which a thread sleeps? What is told of a thread that
 * is not stopped is held against the register that has it, of the same thread stopped behind that: "told right unknown".
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clocks.h"
#include "inference/leaf_caller.h"
#include "unwind/entries.h"
#include "unwind/machine.h"

enum { LINK = 30 };

static uint64_t function_of(struct images *images, uint64_t address)
{
	struct entry entry;
	uint64_t bias;
	const struct cfi *cfi = images_cfi(images, address, &bias);

	return cfi && find_entry(cfi, address - bias, &entry) ? entry.begin + bias : 0;
}

/* false: it does not sleep there any more. */
static bool stopped(pid_t lwp, struct registers *registers)
{
	int status;

	if (ptrace(PTRACE_SEIZE, lwp, NULL, NULL) || ptrace(PTRACE_INTERRUPT, lwp, NULL, NULL) ||
	    waitpid(lwp, &status, __WALL) != lwp || !WIFSTOPPED(status))
		return false;
	const bool known = machine_stopped_registers(lwp, registers);

	ptrace(PTRACE_DETACH, lwp, NULL, NULL);
	return known;
}

int main(int argc, char **argv)
{
	unsigned told = 0, right = 0, unknown = 0;
	struct process process;
	struct memory memory;
	struct images images;
	struct leaf_callers callers = {.images = &images};
	pid_t *lwps = NULL;
	size_t capacity = 0;

	if (argc < 3)
		return 2;
	const pid_t child = fork();

	if (child == 0) {
		execv(argv[2], argv + 2);
		_exit(127);
	}
	sleep(2);
	process_init(&process, child);
	memory_init(&memory, child, true);
	images_init(&images, &process, &memory);
	images_refresh(&images);
	for (uint64_t end = now() + (uint64_t)atoi(argv[1]) * SECOND; now() < end;) {
		const size_t count = process_threads(&process, &lwps, &capacity);

		for (size_t i = 0; i < count; i++) {
			struct system_call call;
			struct kept_files kept = {0};
			struct registers registers;
			uint8_t stack[LEAF_CALLER_BYTES];
			uint64_t returns = 0, outer;

			const enum call_state state = process_call(&process, lwps[i], &kept, &call);

			process_close_kept(&kept);
			if (state != CALL_SLEEPS ||
			    !memory_read(&memory, call.sp, sizeof stack, stack))
				continue;
			const bool known = leaf_caller(&callers, call.pc, stack, &returns, &outer);

			if (!stopped(lwps[i], &registers) ||
			    registers.value[this_machine.sp] != call.sp ||
			    registers.value[this_machine.pc] != call.pc)
				continue;
			told += known;
			unknown += !known;
			right += known &&
				 function_of(&images, returns - 1) ==
					 function_of(&images,
						     machine_plain_address(registers.value[LINK]) -
							     1);
		}
	}
	kill(child, SIGKILL);
	printf("%u %u %u\n", told, right, unknown);
	return 0;
}
