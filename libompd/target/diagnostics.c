/* SPDX-License-Identifier: Apache-2.0 */
#include "target/diagnostics.h"

#include <string.h>

#include "target/text.h"

static const struct {
	const char *name;
	const char *text;
} codes[DIAGNOSTIC_COUNT] = {
#define DIAGNOSTIC(code, text) [DIAGNOSTIC_##code] = {#code, text},
#include "target/diagnostics.def"
#undef DIAGNOSTIC
};

void diagnostics_clear(struct diagnostics *diagnostics)
{
	diagnostics->count = 0;
	diagnostics->kept = 0;
}

void diagnostics_keep(struct diagnostics *diagnostics)
{
	diagnostics->kept = diagnostics->count;
}

void diagnostics_begin(struct diagnostics *diagnostics)
{
	diagnostics->count = diagnostics->kept;
}

static void drop_oldest(struct diagnostics *diagnostics)
{
	const uint32_t oldest = diagnostics->kept;

	diagnostics->count--;
	memmove(&diagnostics->entries[oldest], &diagnostics->entries[oldest + 1],
		(diagnostics->count - oldest) * sizeof(diagnostics->entries[0]));
}

void diagnostics_note(struct diagnostics *diagnostics, enum diagnostic_code code,
		      const char *subject)
{
	char cut[DIAGNOSTIC_SUBJECT_MAX];

	text_copy(cut, sizeof(cut), subject ? subject : "");
	for (uint32_t i = 0; i < diagnostics->count; i++) {
		if (diagnostics->entries[i].code == code &&
		    strcmp(diagnostics->entries[i].subject, cut) == 0)
			return;
	}
	if (diagnostics->kept == DIAGNOSTICS_MAX)
		return;
	if (diagnostics->count == DIAGNOSTICS_MAX)
		drop_oldest(diagnostics);
	diagnostics->entries[diagnostics->count].code = code;
	text_copy(diagnostics->entries[diagnostics->count].subject, DIAGNOSTIC_SUBJECT_MAX, cut);
	diagnostics->count++;
}

void diagnostics_note_address(struct diagnostics *diagnostics, enum diagnostic_code code,
			      uint64_t address)
{
	char text[TEXT_HEX_SIZE];

	diagnostics_note(diagnostics, code, text_hex(text, address));
}

void diagnostics_move(struct diagnostics *from, struct diagnostics *to)
{
	for (uint32_t i = from->kept; i < from->count; i++)
		diagnostics_note(to, from->entries[i].code, from->entries[i].subject);
	from->count = from->kept;
}

const char *diagnostic_code_name(enum diagnostic_code code)
{
	return codes[code].name;
}

const char *diagnostic_text(enum diagnostic_code code)
{
	return codes[code].text;
}
