/* SPDX-License-Identifier: Apache-2.0
 *
 * What each routine costs.
 */
#ifndef HOST_CALLS_H
#define HOST_CALLS_H

#include "dump.h"

/* Prints, per routine, the callbacks of a second call, as the object "calls". */
void calls_count(struct dump *dump);

#endif /* HOST_CALLS_H */
