/* SPDX-License-Identifier: Apache-2.0
 *
 * An ICV's value as text: numbers in the words that OpenMP has for them.
 */
#ifndef API_ICV_TEXT_H
#define API_ICV_TEXT_H

#include "runtime/icv.h"

/* Appends the value's text to *text, a vector of char that the caller frees. unavailable: a list of which
 * only the first item is known. error: a number that no word stands for. */
ompd_rc_t icv_text(enum icv icv, const struct icv_value *value, struct vector *text);

#endif /* API_ICV_TEXT_H */
