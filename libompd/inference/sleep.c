/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/sleep.h"

#include <stddef.h>
#include <string.h>

#include "ompd.h"

/* linux/futex.h */
#define OPERATION 0x7f /* without what is said of the word's sharing and of the clock */
#define FUTEX_WAIT 0
#define FUTEX_WAIT_BITSET 9

/* Linux' numbers of system calls. A wait that a stop has interrupted goes on by the second, with the arguments of the
 * first in their registers. */
static const struct {
	uint32_t machine; /* elf.h */
	uint64_t futex, restart;
} calls[] = {
	{62, 202, 219}, /* EM_X86_64 */
	{183, 98, 128}, /* EM_AARCH64 */
};

ompd_rc_t sleep_decode(uint32_t machine, uint64_t number, const uint64_t arguments[6],
		       ompdx_sleep_t *ret)
{
	const uint64_t operation = arguments[1] & OPERATION;

	memset(ret, 0, sizeof(*ret));
	ret->size = sizeof(*ret);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (calls[i].machine != machine)
			continue;
		if ((number != calls[i].futex && number != calls[i].restart) || arguments[3] ||
		    (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET))
			return ompd_rc_unavailable;
		ret->address = arguments[0];
		ret->expected = (uint32_t)arguments[2];
		return ompd_rc_ok;
	}
	return ompd_rc_unsupported;
}
