/* SPDX-License-Identifier: Apache-2.0
 *
 * Which line does an instruction belong to? A code object's table tells, in a format of 3.10 and one since 3.11.
 */
#ifndef SAMPLER_PYTHON_LINES_H
#define SAMPLER_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

/* at: in bytes in 3.10, later in code units; less than 0: before the first instruction. 0: there is no line. */
int32_t python_line(uint32_t minor, const uint8_t *table, size_t size, int32_t first, int64_t at);

#endif /* SAMPLER_PYTHON_LINES_H */
