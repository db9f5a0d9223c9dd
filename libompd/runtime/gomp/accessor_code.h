/* SPDX-License-Identifier: Apache-2.0
 *
 * The operands of a machine's code, as accessors.h asks for them: a file for each machine.
 */
#ifndef RUNTIME_GOMP_ACCESSOR_CODE_H
#define RUNTIME_GOMP_ACCESSOR_CODE_H

#include "runtime/gomp/accessors.h"

/* Of the function that lies there. */
ompd_rc_t accessor_code_x86_64(const struct image *image, target_addr address, enum operand kind,
			       uint64_t *ret);
ompd_rc_t accessor_code_aarch64(const struct image *image, target_addr address, enum operand kind,
				uint64_t *ret);

#endif /* RUNTIME_GOMP_ACCESSOR_CODE_H */
