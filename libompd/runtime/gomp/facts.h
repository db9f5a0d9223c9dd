/* SPDX-License-Identifier: Apache-2.0
 *
 * Does the code of a build agree with a layout? A function that was compiled into another shape is no evidence, a
 * contradiction is one against all.
 */
#ifndef RUNTIME_GOMP_FACTS_H
#define RUNTIME_GOMP_FACTS_H

#include "runtime/gomp/accessors.h"
#include "runtime/gomp/records.h"

struct facts {
	bool checked;             /* some function says something */
	const char *contradicted; /* which function says otherwise; NULL: none */
	/* The linker may put gomp_tls_data's place and a member's offset into one number. */
	unsigned placed;   /* how many functions have such numbers */
	uint64_t distance; /* of gomp_tls_data from the thread pointer, as they agree */
};

ompd_rc_t facts_check(struct image *image, const struct record *record, struct facts *ret);

#endif /* RUNTIME_GOMP_FACTS_H */
