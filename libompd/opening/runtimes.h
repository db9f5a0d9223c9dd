/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtimes that we know: a line of runtimes.def each.
 */
#ifndef OPENING_RUNTIMES_H
#define OPENING_RUNTIMES_H

#include "runtime/runtime.h"

extern const struct runtime_ops *const all_runtimes[];
extern const size_t runtime_count;

#endif /* OPENING_RUNTIMES_H */
