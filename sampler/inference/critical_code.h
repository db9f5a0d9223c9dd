/* SPDX-License-Identifier: Apache-2.0
 *
 * The code of a critical construct: from where the call returns that waits for it, to where that returns which leaves it.
 */
#ifndef SAMPLER_CRITICAL_CODE_H
#define SAMPLER_CRITICAL_CODE_H

#include "inference/code.h"

/* call: the place of the call that waits. 0: not known, as the dynamic linker has not looked for what is called. */
uint64_t critical_code_end(const struct codes *codes, uint32_t call);

#endif /* SAMPLER_CRITICAL_CODE_H */
