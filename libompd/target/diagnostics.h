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
	uint32_t kept; /* the first of them, which hold as long as the address space does */
	struct {
		enum diagnostic_code code;
		char subject[DIAGNOSTIC_SUBJECT_MAX];
	} entries[DIAGNOSTICS_MAX];
};

void diagnostics_clear(struct diagnostics *diagnostics);

/* What has been noted so far holds for good; and: what has been noted since is no cause any more. */
void diagnostics_keep(struct diagnostics *diagnostics);
void diagnostics_begin(struct diagnostics *diagnostics);

/* Moves what has been noted and does not hold for good. */
void diagnostics_move(struct diagnostics *from, struct diagnostics *to);

/* Notes code about subject (NULL: nothing particular; cut at its maximum). Once per code and subject. Past
 * DIAGNOSTICS_MAX the oldest that is not kept goes. */
void diagnostics_note(struct diagnostics *diagnostics, enum diagnostic_code code,
		      const char *subject);

/* The same about an address. */
void diagnostics_note_address(struct diagnostics *diagnostics, enum diagnostic_code code,
			      uint64_t address);

const char *diagnostic_code_name(enum diagnostic_code code);
const char *diagnostic_text(enum diagnostic_code code);

#endif /* TARGET_DIAGNOSTICS_H */
