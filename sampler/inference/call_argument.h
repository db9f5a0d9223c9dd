/* SPDX-License-Identifier: Apache-2.0
 *
 * Which constant does a call pass? A lock or a critical construct's variable that one call always passes is known by it,
 * whoever waits there. No register has it any more when a thread waits.
 */
#ifndef SAMPLER_CALL_ARGUMENT_H
#define SAMPLER_CALL_ARGUMENT_H

#include "target/images.h"

/* image: that the call is in. returns: the address to which the call returns. argument: from 0. false: it is no constant,
 * or not read out of the code. */
bool call_argument(struct memory *memory, const struct image *image, uint64_t returns, int argument,
		   uint64_t *value);

#endif /* SAMPLER_CALL_ARGUMENT_H */
