/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the last member of a struct's first version ended: what a tool passes cannot be one if it is shorter,
 * whatever has been appended since. Never changed.
 */
#ifndef API_FIRST_SIZES_H
#define API_FIRST_SIZES_H

#include <stddef.h>

#include "ompd-ext.h"

#define END_OF(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))
#define FIRST_IMAGE_SIZE END_OF(ompdx_image_t, path)
#define FIRST_AUXV_SIZE END_OF(ompdx_auxv_t, vdso)
#define FIRST_NATIVE_SIZE END_OF(ompdx_native_thread_t, lwp)
#define FIRST_VARIABLE_SIZE END_OF(ompdx_lock_variable_t, reserved)
#define FIRST_FRAME_SIZE END_OF(ompdx_frame_t, entry)
#define FIRST_SLEEP_SIZE END_OF(ompdx_sleep_t, reserved)
#define FIRST_STACK_SIZE END_OF(ompdx_stack_t, sleep)
#define FIRST_LEVEL_SIZE END_OF(ompdx_view_level_t, thread_num)
#define FIRST_REGION_SIZE END_OF(ompdx_view_region_t, cancelled)
#define FIRST_TEAM_ARRIVALS_SIZE END_OF(ompdx_team_arrivals_t, steps)
#define FIRST_FACTS_SIZE END_OF(ompdx_facts_t, arrivals)
#define FIRST_CLASSIFICATION_SIZE END_OF(ompdx_classification_t, round)

#endif /* API_FIRST_SIZES_H */
