/* SPDX-License-Identifier: Apache-2.0
 *
 * What has libgomp read in the environment, of that which it keeps in variables that nothing leads to? It is told only
 * where the environment is as the program was started with it, and agrees with what libgomp made of it elsewhere.
 */
#ifndef RUNTIME_GOMP_SETTINGS_H
#define RUNTIME_GOMP_SETTINGS_H

#include "runtime/gomp/gomp.h"
#include "runtime/icv.h"

/* ICV_NTHREADS, ICV_BIND: adds what a list has for the levels inside of this one. first: what libgomp took of the
 * list's first item. unavailable: whether it has more cannot be told. */
ompd_rc_t settings_further(struct address_space *space, struct gomp *gomp, enum icv icv,
			   ompd_word_t first, int32_t level, struct icv_value *value);

/* ICV_DISPLAY_AFFINITY, ICV_STACKSIZE, ICV_TARGET_OFFLOAD, ICV_WAIT_POLICY. unavailable: not known;
 * unsupported: the release has none. */
ompd_rc_t settings_value(struct address_space *space, struct gomp *gomp, enum icv icv,
			 ompd_word_t *ret);

#endif /* RUNTIME_GOMP_SETTINGS_H */
