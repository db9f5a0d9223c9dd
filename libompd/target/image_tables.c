/* SPDX-License-Identifier: Apache-2.0 */
#include "target/image_tables.h"

#include <elf.h>

void versions_first(struct version_walk *walk, const struct image *image)
{
	const bool present = image->versions && image->strtab;

	walk->image = image;
	walk->next = image->versions;
	walk->left = present ? image->version_count : 0;
	if (walk->left > IMAGE_VERSIONS_MAX)
		walk->left = IMAGE_VERSIONS_MAX;
}

ompd_rc_t versions_next(struct version_walk *walk, char name[SYMBOL_NAME_MAX])
{
	/* An Elf64_Verdef, which is the Elf32 one; its first name is the version's own. */
	enum { SIZE = 20, VD_AUX = 12, VD_NEXT = 16 };
	const struct image *image = walk->image;
	const struct target *target = image->target;
	uint8_t definition[SIZE];
	uint64_t at;
	ompd_rc_t rc;

	if (walk->left == 0)
		return ompd_rc_unavailable;
	rc = target_read(target, walk->next, sizeof(definition), definition);
	if (rc == ompd_rc_ok)
		rc = target_read_unsigned(
			target, walk->next + target_decode(target, definition + VD_AUX, 4), 4, &at);
	if (rc == ompd_rc_ok && at >= image->strtab_size)
		rc = ompd_rc_error;
	if (rc == ompd_rc_ok)
		rc = target_read_string(target, image->strtab + at, SYMBOL_NAME_MAX, name);
	if (rc != ompd_rc_ok && rc != ompd_rc_incomplete)
		return rc;
	at = target_decode(target, definition + VD_NEXT, 4);
	walk->next += at;
	walk->left = at ? walk->left - 1 : 0;
	return ompd_rc_ok;
}

ompd_rc_t image_thread_local_word(const struct image *image, uint64_t offset, target_addr *ret)
{
	/* An Elf64_Rela. */
	enum { SIZE = 24, R_INFO = 8, R_ADDEND = 16 };
	const uint64_t wanted = image->machine == EM_X86_64    ? R_X86_64_TPOFF64
				: image->machine == EM_AARCH64 ? R_AARCH64_TLS_TPREL
							       : 0;
	const struct target *target = image->target;
	uint64_t count = image->relocations_size / SIZE;
	uint8_t chunk[SIZE * 64];

	if (wanted == 0 || image->relocations == 0)
		return ompd_rc_unavailable;
	if (count > RELOCATIONS_MAX)
		count = RELOCATIONS_MAX;
	for (uint64_t first = 0; first < count; first += 64) {
		const size_t here = count - first < 64 ? (size_t)(count - first) : 64;
		const ompd_rc_t rc =
			target_read(target, image->relocations + first * SIZE, here * SIZE, chunk);

		if (rc != ompd_rc_ok)
			return rc;
		for (size_t i = 0; i < here; i++) {
			const uint8_t *entry = chunk + i * SIZE;

			/* Symbol 0: the variable is the image's own. */
			if (target_decode(target, entry + R_INFO, 8) != wanted ||
			    target_decode(target, entry + R_ADDEND, 8) != offset)
				continue;
			*ret = image->bias + target_decode(target, entry, 8);
			return ompd_rc_ok;
		}
	}
	return ompd_rc_unavailable;
}
