/* SPDX-License-Identifier: Apache-2.0
 *
 * OMPD's callbacks for the process that they run in: a thread of it looks at the others, which stand still.
 */
#ifndef OWN_PROCESS_H
#define OWN_PROCESS_H

#include "ompd.h"

const ompd_callbacks_t *own_callbacks(void);
ompd_address_space_context_t *own_context(void);

/* Blocks that were allocated and not freed; and reads since the last call. */
long own_live_blocks(void);
long own_reads(void);

#endif /* OWN_PROCESS_H */
