/* SPDX-License-Identifier: Apache-2.0
 *
 * A libgomp that is linked into a program. Its symbol versions are gone, and so is the word that tells where its
 * threads' own data are: both are told by the code of its small functions, which the debugger's symbols find.
 */
#ifndef RUNTIME_GOMP_EMBEDDED_H
#define RUNTIME_GOMP_EMBEDDED_H

#include "runtime/gomp/records.h"
#include "target/image.h"

/* The one layout that the functions agree with. unavailable: none, or more than one. */
ompd_rc_t embedded_record(struct image *image, const struct record **ret);

/* Of gomp_tls_data, from the thread pointer. record: the one that fits. unavailable: the functions do not say, or
 * disagree. */
ompd_rc_t embedded_tls_offset(struct image *image, const struct record *record, uint64_t *ret);

#endif /* RUNTIME_GOMP_EMBEDDED_H */
