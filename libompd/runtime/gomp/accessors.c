/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/accessors.h"

#include <elf.h>

ompd_rc_t accessor_operand(struct image *image, const char *function, enum operand kind,
			   uint64_t *ret)
{
	target_addr address;
	ompd_rc_t rc;

	if (image->machine != EM_X86_64 && image->machine != EM_AARCH64)
		return ompd_rc_unavailable;
	rc = image->embeds ? image_symbol(image, function, &address)
			   : image_exported(image, function, &address);
	if (rc == ompd_rc_ok)
		rc = image->machine == EM_AARCH64 ? accessor_code_aarch64(image, address, kind, ret)
						  : accessor_code_x86_64(image, address, kind, ret);
	return rc == ompd_rc_error || rc == ompd_rc_incompatible ? ompd_rc_unavailable : rc;
}
