/* SPDX-License-Identifier: Apache-2.0
 *
 * A function that ends by a jump to another one leaves no frame. Which of those that a caller knows has?
 */
#ifndef SAMPLER_JUMPS_H
#define SAMPLER_JUMPS_H

#include "inference/code.h"

#define SEVERAL_JUMP UINT64_MAX

/* Of the functions whose addresses the code loads in front of the place, in the same function, the one that jumps to the
 * beginning of `function', or that is it itself; 0: none; SEVERAL_JUMP: it may be any of several. */
uint64_t jumps_from(struct codes *codes, uint32_t place, uint64_t function);

#endif /* SAMPLER_JUMPS_H */
