/* SPDX-License-Identifier: Apache-2.0
 *
 * SIGINT, SIGTERM and SIGHUP ask the sampler to end; whoever went away as a reader is told by write.
 */
#ifndef SAMPLER_SIGNALS_H
#define SAMPLER_SIGNALS_H

#include <stdbool.h>

void signals_take(void);

bool signals_ask_to_end(void);

#endif /* SAMPLER_SIGNALS_H */
