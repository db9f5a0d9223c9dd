/* SPDX-License-Identifier: Apache-2.0 */
#ifndef API_DIAGNOSTICS_BLOCK_H
#define API_DIAGNOSTICS_BLOCK_H

#include "ompd.h"

struct diagnostics;

/* Notes as the ompdx_diagnostics_t that a tool gets. */
ompd_rc_t diagnostics_block(const struct diagnostics *notes, void **ret);

#endif /* API_DIAGNOSTICS_BLOCK_H */
