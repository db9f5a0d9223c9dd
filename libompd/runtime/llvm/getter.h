/* SPDX-License-Identifier: Apache-2.0
 *
 * Which variable does an exported function return? Its machine code tells, on x86-64 and on
 * AArch64.
 */
#ifndef RUNTIME_LLVM_GETTER_H
#define RUNTIME_LLVM_GETTER_H

#include "target/image.h"

/* The address of the variable of `size` bytes, in the image's writable data, that the function loads last
 * before it returns. unavailable: no such function, or its code is of another shape. */
ompd_rc_t getter_variable(struct image *image, const char *function, size_t size, target_addr *ret);

#endif /* RUNTIME_LLVM_GETTER_H */
