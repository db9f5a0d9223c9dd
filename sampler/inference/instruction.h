/* SPDX-License-Identifier: Apache-2.0
 *
 * Where instructions begin: code is read from a function's beginning on, one instruction after the other. Bytes inside of
 * one are none. Compiled on all machines, for its tests.
 */
#ifndef SAMPLER_INSTRUCTION_H
#define SAMPLER_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the instruction that the code begins with; 0: it is cut, or not known. */
size_t length_on_x86_64(const uint8_t *code, size_t size);

static inline size_t instruction_length(const uint8_t *code, size_t size)
{
#if defined __x86_64__
	return length_on_x86_64(code, size);
#else
	(void)code;
	return size < 4 ? 0 : 4;
#endif
}

#endif /* SAMPLER_INSTRUCTION_H */
