/* SPDX-License-Identifier: Apache-2.0
 *
 * Does a system call sleep on a word?
 */
#ifndef INFERENCE_SLEEP_H
#define INFERENCE_SLEEP_H

#include "ompd-ext.h"

/* unavailable: it does not, or not without a limit of time; unsupported: this machine. */
ompd_rc_t sleep_decode(uint32_t machine, uint64_t number, const uint64_t arguments[6],
		       ompdx_sleep_t *ret);

#endif /* INFERENCE_SLEEP_H */
