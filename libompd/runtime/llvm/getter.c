/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/llvm/getter.h"

#include <elf.h>

#include "runtime/llvm/getter_code.h"

ompd_rc_t getter_variable(struct image *image, const char *function, size_t size, target_addr *ret)
{
	target_addr address;
	ompd_rc_t rc;

	if (image->machine != EM_X86_64 && image->machine != EM_AARCH64)
		return ompd_rc_unavailable;
	rc = image_exported(image, function, &address);
	if (rc != ompd_rc_ok)
		return rc;
	if (image->machine == EM_AARCH64)
		return getter_code_aarch64(image, address, size, ret);
	return getter_code_x86_64(image, address, size, ret);
}
