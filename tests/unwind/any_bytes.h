/* SPDX-License-Identifier: Apache-2.0
 *
 * Unwinding by any bytes.
 */
#ifndef ANY_BYTES_H
#define ANY_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Where .eh_frame is said to lie. */
#define FRAMES_AT UINT64_C(0x10000000)

/* What an input begins with. */
struct any_head {
	uint32_t frames_size, header_size;
	uint64_t pc, others; /* registers: pc, and what is in all but the stack pointer */
};

/* How many frames were found. */
uint32_t unwind_any(const uint8_t *input, size_t size);

#endif /* ANY_BYTES_H */
