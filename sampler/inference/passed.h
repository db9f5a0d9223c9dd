/* SPDX-License-Identifier: Apache-2.0
 *
 * What a machine's code before a call passes: a file for each machine, and each is compiled on all of them, for its tests.
 */
#ifndef SAMPLER_PASSED_H
#define SAMPLER_PASSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_code {
	const uint8_t *
		bytes; /* around the call: what jumps between it and the argument's making lies there */
	size_t size;
	size_t end;     /* where the call ends, in bytes */
	uint64_t start; /* address of the first byte */
	/* A word that never changes once the file is loaded; false: it may change. */
	bool (*constant)(void *context, uint64_t address, uint64_t *value);
	void *context;
};

/* argument: from 0. false: it is no constant, or that is not read out of the code. */
bool passed_on_x86_64(const struct call_code *code, int argument, uint64_t *value);
bool passed_on_aarch64(const struct call_code *code, int argument, uint64_t *value);

#endif /* SAMPLER_PASSED_H */
