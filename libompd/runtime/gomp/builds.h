/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of a build of libgomp by its build-id alone. A core file of the kernel's has of the library's file the
 * first page, where the build-id is, and what was written to: the library's names, relocations and code are
 * not there.
 */
#ifndef RUNTIME_GOMP_BUILDS_H
#define RUNTIME_GOMP_BUILDS_H

#include "runtime/gomp/accessors.h"

/* Each answers unavailable where the build is none of those that are known. */

/* The major version of GCC. */
ompd_rc_t build_release(struct image *image, int32_t *ret);

/* Where the dynamic linker has stored how far gomp_tls_data lies from the thread pointer. */
ompd_rc_t build_thread_word(struct image *image, target_addr *ret);

/* The variable that an exported function reads, as accessor_operand. */
ompd_rc_t build_variable(struct image *image, const char *function, enum operand kind,
			 target_addr *ret);

#endif /* RUNTIME_GOMP_BUILDS_H */
