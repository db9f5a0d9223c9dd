/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tool is given to keep and to free: a copy in its own memory.
 */
#ifndef API_ANSWER_H
#define API_ANSWER_H

#include "ompd.h"

/* A copy of the text. nomem; *ret is untouched then. */
ompd_rc_t answer_string(const char *text, const char **ret);

#endif /* API_ANSWER_H */
