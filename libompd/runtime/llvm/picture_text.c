/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "runtime/llvm/picture.h"
#include "target/limits.h"

ompd_rc_t picture_source(struct picture *picture, target_addr ident, uint32_t *ret)
{
	const struct target *target = &picture->space->target;
	const struct span psource = picture->llvm->structures.ident.psource;
	char text[SOURCE_LENGTH_MAX];
	target_addr address;
	size_t size;
	void *item;
	ompd_rc_t rc;

	*ret = 0;
	if (ident == 0 || psource.size == 0)
		return ompd_rc_ok;
	*ret = address_map_get(&picture->text_of_ident, ident);
	if (*ret != ADDRESS_MAP_NONE)
		return ompd_rc_ok;
	*ret = 0;
	rc = target_read_unsigned(target, ident + psource.offset, psource.size, &address);
	if (rc == ompd_rc_ok)
		rc = target_read_string(target, address, sizeof(text), text);
	if (rc == ompd_rc_error || rc == ompd_rc_incomplete)
		return address_map_put(&picture->text_of_ident, ident, 0);
	if (rc != ompd_rc_ok)
		return rc;
	size = strlen(text) + 1;
	/* What compilers recorded of constructs is never so much: the rest goes without. */
	if (picture->text.count + size > VIEW_TEXT_MAX) {
		diagnostics_note(&picture->space->diagnostics, DIAGNOSTIC_text_cut, NULL);
		return address_map_put(&picture->text_of_ident, ident, 0);
	}
	rc = vector_add(&picture->text, size, VIEW_TEXT_MAX, &item);
	if (rc != ompd_rc_ok)
		return rc;
	memcpy(item, text, size);
	*ret = (uint32_t)(picture->text.count - size) + 1;
	return address_map_put(&picture->text_of_ident, ident, *ret);
}

ompd_rc_t picture_ident_flags(struct picture *picture, target_addr ident, int32_t *ret)
{
	const struct span flags = picture->llvm->structures.ident.flags;
	uint32_t known = address_map_get(&picture->flags_of_ident, ident);
	uint64_t value;
	ompd_rc_t rc;

	*ret = -1;
	if (ident == 0 || flags.size != 4)
		return ompd_rc_ok;
	if (known != ADDRESS_MAP_NONE) {
		*ret = (int32_t)known;
		return ompd_rc_ok;
	}
	rc = target_read_unsigned(&picture->space->target, ident + flags.offset, 4, &value);
	if (rc != ompd_rc_ok)
		return rc == ompd_rc_error ? ompd_rc_ok : rc;
	/* A flag in the sign bit is none of kmp.h's. */
	if (value > INT32_MAX)
		return ompd_rc_ok;
	*ret = (int32_t)value;
	return address_map_put(&picture->flags_of_ident, ident, (uint32_t)value);
}
