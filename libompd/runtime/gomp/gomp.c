/* SPDX-License-Identifier: Apache-2.0
 *
 * GNU libgomp: recognised and named; its structures are not read yet, so every question goes unanswered.
 */
#include <stddef.h>

#include "runtime/runtime.h"
#include "target/text.h"

/* The version node that a GCC release brought; the linker exports nodes as absolute symbols. Newest first. */
static const struct {
	int32_t version;
	const char *node;
} first_nodes[] = {
	{16, "GOMP_6.0.1"}, {15, "GOMP_6.0"},   {14, "GOMP_5.1.2"}, {13, "GOMP_5.1.1"},
	{12, "GOMP_5.1"},   {11, "GOMP_5.0.1"}, {10, "OACC_2.6"},   {9, "GOMP_5.0"},
};

static int32_t gomp_version(struct image *image)
{
	for (size_t i = 0; i < sizeof(first_nodes) / sizeof(first_nodes[0]); i++) {
		target_addr ignored;
		const ompd_rc_t rc = image_exported(image, first_nodes[i].node, &ignored);

		if (rc == ompd_rc_ok)
			return first_nodes[i].version;
		if (rc != ompd_rc_unavailable)
			break;
	}
	return -1;
}

static ompd_rc_t gomp_open(struct address_space *space)
{
	diagnostics_note(&space->diagnostics, DIAGNOSTIC_not_supported, "GNU libgomp");
	return ompd_rc_ok;
}

static void gomp_close(struct address_space *space)
{
	(void)space;
}

static ompd_rc_t gomp_info(struct address_space *space, ompdx_runtime_info_t *info)
{
	char number[TEXT_DECIMAL_SIZE];

	text_copy(info->version_text, sizeof(info->version_text), "GNU libgomp");
	if (space->runtime_version >= 0) {
		text_append(info->version_text, sizeof(info->version_text), " of GCC ");
		text_append(info->version_text, sizeof(info->version_text),
			    text_decimal(number, space->runtime_version));
	}
	info->initialized = -1;
	info->state_tracking = -1;
	return ompd_rc_ok;
}

const struct runtime_ops gomp_runtime = {
	.kind = ompdx_runtime_gomp,
	.entry_symbol = "GOMP_parallel",
	.version = gomp_version,
	.open = gomp_open,
	.close = gomp_close,
	.info = gomp_info,
};
