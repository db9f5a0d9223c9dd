/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/gomp/ready.h"

#include "runtime/gomp/proof.h"

ompd_rc_t gomp_ready(struct address_space *space, struct gomp **ret)
{
	struct gomp *gomp = space->runtime_state;
	ompd_rc_t rc = ompd_rc_ok;

	if (!gomp->record) {
		rc = attempt_before(space, &gomp->at_resolving);
		if (rc != ompd_rc_ok)
			return rc;
		/* Causes of before are none of now. */
		diagnostics_begin(&space->diagnostics);
		rc = attempt_ended(space, &gomp->at_resolving, gomp_resolve(space, gomp));
		if (rc == ompd_rc_ok)
			diagnostics_keep(&space->diagnostics);
	}
	if (rc == ompd_rc_ok)
		*ret = gomp;
	return rc;
}
