/* SPDX-License-Identifier: Apache-2.0
 *
 * Which addresses do AArch64's instructions tell, each of which is a word?
 */
#ifndef SAMPLER_A64_WORDS_H
#define SAMPLER_A64_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* So many bits from `at' on, as a signed number. */
static inline int64_t a64_signed(uint32_t word, unsigned at, unsigned bits)
{
	const uint64_t field = word >> at & ((UINT64_C(1) << bits) - 1);
	const uint64_t sign = UINT64_C(1) << (bits - 1);

	return (int64_t)(field ^ sign) - (int64_t)sign;
}

/* adr, and adrp, which tells a page's. */
static inline bool a64_address(uint32_t word, uint64_t pc, uint64_t *address)
{
	if ((word & 0x1f000000) != 0x10000000)
		return false;
	const uint64_t distance = (uint64_t)a64_signed(word, 5, 19) << 2 | (word >> 29 & 3);

	*address = word >> 31 ? (pc & ~UINT64_C(0xfff)) + (distance << 12) : pc + distance;
	return true;
}

/* Where a branch to a fixed address goes: b and bl, b.cond, cbz and cbnz, tbz and tbnz. */
static inline bool a64_branch(uint32_t word, uint64_t pc, uint64_t *target)
{
	int64_t words;

	if ((word & 0x7c000000) == 0x14000000)
		words = a64_signed(word, 0, 26);
	else if ((word & 0xfe000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000)
		words = a64_signed(word, 5, 19);
	else if ((word & 0x7e000000) == 0x36000000)
		words = a64_signed(word, 5, 14);
	else
		return false;
	*target = pc + 4 * (uint64_t)words;
	return true;
}

#endif /* SAMPLER_A64_WORDS_H */
