/* SPDX-License-Identifier: Apache-2.0
 *
 * Where are the threads' own data of a libgomp, and is this build laid out as its release is known to be?
 */
#ifndef RUNTIME_GOMP_PROOF_H
#define RUNTIME_GOMP_PROOF_H

#include "runtime/gomp/gomp.h"

/* Finds gomp_tls_data, and proves the layout of the image's release; see gomp_ready. */
ompd_rc_t gomp_resolve(struct address_space *space, struct gomp *gomp);

#endif /* RUNTIME_GOMP_PROOF_H */
