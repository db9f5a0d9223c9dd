/* SPDX-License-Identifier: Apache-2.0 */
#include "opening/runtimes.h"

#define RUNTIME(name) extern const struct runtime_ops name##_runtime;
#include "opening/runtimes.def"

const struct runtime_ops *const all_runtimes[] = {
#define RUNTIME(name) &name##_runtime,
#include "opening/runtimes.def"
};

const size_t runtime_count = sizeof(all_runtimes) / sizeof(all_runtimes[0]);
