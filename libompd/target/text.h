/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounded text without stdio.
 */
#ifndef TARGET_TEXT_H
#define TARGET_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define TEXT_HEX_SIZE 19     /* "0x", 16 digits, NUL */
#define TEXT_DECIMAL_SIZE 21 /* the digits of INT64_MIN, NUL */

/* Copies what fits and always ends with a NUL; size > 0. Returns the length copied. */
size_t text_copy(char *buffer, size_t size, const char *text);

/* Appends to the text in buffer, as text_copy. */
void text_append(char *buffer, size_t size, const char *text);

/* "0x..." in buffer, which it returns. */
const char *text_hex(char buffer[TEXT_HEX_SIZE], uint64_t value);
const char *text_decimal(char buffer[TEXT_DECIMAL_SIZE], int64_t value);

#endif /* TARGET_TEXT_H */
