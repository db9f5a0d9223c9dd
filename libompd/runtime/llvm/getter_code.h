/* SPDX-License-Identifier: Apache-2.0
 *
 * Which variable does the code of a getter return? One file for each machine.
 */
#ifndef RUNTIME_LLVM_GETTER_CODE_H
#define RUNTIME_LLVM_GETTER_CODE_H

#include "target/image.h"

/* As getter_variable, of the function that begins there. */
ompd_rc_t getter_code_x86_64(const struct image *image, target_addr function, size_t size,
			     target_addr *ret);
ompd_rc_t getter_code_aarch64(const struct image *image, target_addr function, size_t size,
			      target_addr *ret);

#endif /* RUNTIME_LLVM_GETTER_CODE_H */
