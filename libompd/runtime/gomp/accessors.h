/* SPDX-License-Identifier: Apache-2.0
 *
 * What do libgomp's small functions read? Each is a handful of instructions that name the member or the variable
 * that it returns.
 */
#ifndef RUNTIME_GOMP_ACCESSORS_H
#define RUNTIME_GOMP_ACCESSORS_H

#include "runtime/gomp/accessor_code.h"

/* The first operand of this kind in the function. unavailable: it has none, there is no such function, its code
 * cannot be read, or the machine is another. */
ompd_rc_t accessor_operand(struct image *image, const char *function, enum operand kind,
			   uint64_t *ret);

#endif /* RUNTIME_GOMP_ACCESSORS_H */
