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
	bool checked;             /* some function told something */
	const char *contradicted; /* which function says otherwise; NULL: none */
};

ompd_rc_t facts_check(struct image *image, const struct record *record, struct facts *ret);

#endif /* RUNTIME_GOMP_FACTS_H */
