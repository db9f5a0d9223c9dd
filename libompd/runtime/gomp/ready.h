/* SPDX-License-Identifier: Apache-2.0
 *
 * Is this libgomp started, and proven to be laid out as its release? Asked by whoever is about to read its structures.
 */
#ifndef RUNTIME_GOMP_READY_H
#define RUNTIME_GOMP_READY_H

#include "runtime/gomp/gomp.h"

/* The space's libgomp, proven to be laid out as its release.
 * unavailable: it is not, or not started; the diagnostics say why. Tried again at the next call. */
ompd_rc_t gomp_ready(struct address_space *space, struct gomp **ret);

#endif /* RUNTIME_GOMP_READY_H */
