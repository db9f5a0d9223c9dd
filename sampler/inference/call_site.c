/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/call_site.h"

#include <string.h>

#include "inference/a64_words.h"

/* kmp.h: struct ident, KMP_IDENT_KMPC: compilers set it in every one. */
struct ident {
	int32_t reserved_1;
	int32_t flags;
	int32_t reserved_2, reserved_3;
	uint64_t source;
};
#define IDENT_KMPC 2

static bool read_ident(struct memory *memory, uint64_t address, struct call_site *site)
{
	struct ident ident;

	if (address < PAGE_BYTES || !memory_read(memory, address, sizeof ident, &ident) ||
	    ident.reserved_1 != 0 || !(ident.flags & IDENT_KMPC) || ident.flags < 0 ||
	    !memory_read_text(memory, ident.source, site->source, sizeof site->source) ||
	    site->source[0] != ';') {
		site->source[0] = 0;
		return false;
	}
	site->flags = ident.flags;
	return true;
}

#if defined __x86_64__

/* As far before the call as compilers put other arguments' loads. */
#define CODE_UNITS 96
typedef uint8_t code_unit;

/* lea DISPLACEMENT(%rip),%rdi; mov $ADDRESS,%edi. What it loads proves itself by what lies there. */
static bool loaded(const code_unit *code, size_t at, uint64_t start, uint64_t *address)
{
	int32_t displacement;

	if (at + 7 <= CODE_UNITS && code[at] == 0x48 && code[at + 1] == 0x8d &&
	    code[at + 2] == 0x3d) {
		memcpy(&displacement, code + at + 3, 4);
		*address = start + at + 7 + (uint64_t)(int64_t)displacement;
		return true;
	}
	if (at + 5 <= CODE_UNITS && code[at] == 0xbf) {
		memcpy(&displacement, code + at + 1, 4);
		*address = (uint32_t)displacement;
		return true;
	}
	return false;
}

#else

#define CODE_UNITS 24
typedef uint32_t code_unit;

/* adrp x0, PAGE; add x0, x0, OFFSET, which lie apart; adr x0, ADDRESS. What it loads proves itself by what lies there. */
static bool loaded(const code_unit *code, size_t at, uint64_t start, uint64_t *address)
{
	const uint64_t here = start + 4 * at;

	if ((code[at] & 0x1f) != 0 || !a64_address(code[at], here, address))
		return false;
	if (code[at] >> 31 == 0)
		return true;
	for (size_t i = at + 1; i < CODE_UNITS; i++)
		if ((code[i] & 0xffc003ff) == 0x91000000) {
			*address += code[i] >> 10 & 0xfff;
			return true;
		}
	return false;
}

#endif

void call_site_read(struct memory *memory, uint64_t returns, struct call_site *site)
{
	code_unit code[CODE_UNITS];
	const uint64_t start = returns - sizeof code;
	uint64_t address;

	*site = (struct call_site){.flags = -1};
	if (!memory_read(memory, start, sizeof code, code))
		return;
	/* The last one before the call. */
	for (size_t at = CODE_UNITS; at-- > 0;)
		if (loaded(code, at, start, &address) && read_ident(memory, address, site))
			return;
}
