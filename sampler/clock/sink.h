/* SPDX-License-Identifier: Apache-2.0
 *
 * What a clock tells, in the order of time.
 */
#ifndef SAMPLER_SINK_H
#define SAMPLER_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "unwind/machine.h"

struct sample {
	pid_t lwp;
	uint64_t time;
	struct registers
		registers;    /* of the program's code, also when the kernel was at work for it */
	const uint8_t *stack; /* from the stack pointer on */
	size_t stack_size;
};

struct sink {
	void *context;
	void (*sample)(void *context, const struct sample *sample);
	/* wants_on: it was made to give the processor up, and did not go to sleep */
	void (*off)(void *context, pid_t lwp, uint64_t time, bool wants_on);
	void (*on)(void *context, pid_t lwp, uint64_t time);
	/* Between two moments records are missing, of this thread or, lwp 0, of any; since 0: from its beginning on. */
	void (*lost)(void *context, pid_t lwp, uint64_t since, uint64_t time, uint64_t count);
	/* A sample that says nothing: of 32-bit code, or of the kernel's own */
	void (*empty)(void *context, pid_t lwp);
	void (*born)(void *context, pid_t lwp);
	void (*ended)(void *context, pid_t lwp, uint64_t time);
	void (*images_changed)(void *context);
	void (*executed)(void *context, uint64_t time); /* another program is in the process now */
};

#endif /* SAMPLER_SINK_H */
