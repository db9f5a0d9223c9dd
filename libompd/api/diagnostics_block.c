/* SPDX-License-Identifier: Apache-2.0 */
#include "api/diagnostics_block.h"

#include <string.h>

#include "address_space.h"
#include "target/callbacks.h"

ompd_rc_t diagnostics_block(const struct diagnostics *notes, void **ret)
{
	ompdx_diagnostics_t *answer;
	ompdx_diagnostic_t *entries;
	void *block = NULL;
	char *text;
	const ompd_rc_t rc =
		callback_alloc(1,
			       sizeof(*answer) + notes->count * (sizeof(ompdx_diagnostic_t) +
								 DIAGNOSTIC_SUBJECT_MAX),
			       &block);

	if (rc != ompd_rc_ok)
		return rc;
	answer = block;
	entries = (void *)(answer + 1);
	text = (char *)(entries + notes->count);
	answer->size = sizeof(*answer);
	answer->count = notes->count;
	answer->diagnostics = entries;
	for (uint32_t i = 0; i < notes->count; i++) {
		memcpy(text, notes->entries[i].subject, DIAGNOSTIC_SUBJECT_MAX);
		entries[i].size = sizeof(entries[i]);
		entries[i].code = diagnostic_code_name(notes->entries[i].code);
		entries[i].text = diagnostic_text(notes->entries[i].code);
		entries[i].subject = text;
		text += DIAGNOSTIC_SUBJECT_MAX;
	}
	*ret = block;
	return ompd_rc_ok;
}
