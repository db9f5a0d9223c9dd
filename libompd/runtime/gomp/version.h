/* SPDX-License-Identifier: Apache-2.0
 *
 * Which GCC release is this libgomp of? Its symbol versions tell: nothing else in it does.
 */
#ifndef RUNTIME_GOMP_VERSION_H
#define RUNTIME_GOMP_VERSION_H

#include "target/image.h"

/* The major version of GCC. unavailable: the image defines no versions, is no libgomp, or has versions that no
 * release known to us has. */
ompd_rc_t gomp_version(struct image *image, int32_t *ret);

#endif /* RUNTIME_GOMP_VERSION_H */
