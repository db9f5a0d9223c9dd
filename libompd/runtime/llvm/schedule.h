/* SPDX-License-Identifier: Apache-2.0
 *
 * libomp's numbers for schedules (kmp.h: sched_type), in words.
 */
#ifndef RUNTIME_LLVM_SCHEDULE_H
#define RUNTIME_LLVM_SCHEDULE_H

#include "runtime/icv.h"

/* "nonmonotonic:dynamic,4", as OMP_SCHEDULE is written. error: a number that no release has. */
ompd_rc_t schedule_text(uint32_t r_sched_type, int32_t chunk, struct icv_value *value);

#endif /* RUNTIME_LLVM_SCHEDULE_H */
