/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes of which source was tried and why it was refused: OMPD's return codes carry no text.
 */
#ifndef TARGET_DIAGNOSTICS_H
#define TARGET_DIAGNOSTICS_H

#include <stdint.h>

enum diagnostic_code {
#define DIAGNOSTIC(code, text) DIAGNOSTIC_##code,
#include "target/diagnostics.def"
#undef DIAGNOSTIC
	DIAGNOSTIC_COUNT
};

#define DIAGNOSTIC_SUBJECT_MAX 64
#define DIAGNOSTICS_MAX 32

struct diagnostics {
	uint32_t count;
	struct {
		enum diagnostic_code code;
		char subject[DIAGNOSTIC_SUBJECT_MAX];
	} entries[DIAGNOSTICS_MAX];
};

void diagnostics_clear(struct diagnostics *diagnostics);

/* Notes code about subject (NULL: nothing particular; cut at its maximum). Once per code and subject; past
 * DIAGNOSTICS_MAX nothing more: the first reasons are the causes. */
void diagnostics_note(struct diagnostics *diagnostics, enum diagnostic_code code,
		      const char *subject);

/* The same about an address. */
void diagnostics_note_address(struct diagnostics *diagnostics, enum diagnostic_code code,
			      uint64_t address);

const char *diagnostic_code_name(enum diagnostic_code code);
const char *diagnostic_text(enum diagnostic_code code);

#endif /* TARGET_DIAGNOSTICS_H */
