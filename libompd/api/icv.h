/* SPDX-License-Identifier: Apache-2.0
 *
 * ICVs for other routines than those about ICVs.
 */
#ifndef API_ICV_H
#define API_ICV_H

#include "address_space.h"
#include "runtime/icv.h"

/* The name under which the tool's version knows it; NULL: it does not. */
const char *icv_name(enum icv icv);

/* Appends the text of what the ICV is for the process: for its initial task, where each task has its own. */
ompd_rc_t icv_of_process(struct address_space *space, enum icv icv, struct vector *text);

#endif /* API_ICV_H */
