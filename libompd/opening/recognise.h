/* SPDX-License-Identifier: Apache-2.0
 *
 * Which runtime does an image hold?
 */
#ifndef OPENING_RECOGNISE_H
#define OPENING_RECOGNISE_H

#include "runtime/runtime.h"

/* The runtime that image holds. incompatible: none that we know. */
ompd_rc_t runtime_recognise(struct image *image, const struct runtime_ops **ret);

/* The same for a program that a runtime is linked into, and that exports no names: by the debugger's symbols,
 * or by the runtime's data once it has started. */
ompd_rc_t runtime_recognise_embedded(struct image *image, const struct runtime_ops **ret);

#endif /* OPENING_RECOGNISE_H */
