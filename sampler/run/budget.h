/* SPDX-License-Identifier: Apache-2.0
 *
 * What sampling may cost: the sampler's own time on a processor stays within the budget.
 */
#ifndef SAMPLER_BUDGET_H
#define SAMPLER_BUDGET_H

#include "run/session.h"

struct budget {
	uint64_t since, processor_then; /* the window that is being measured */
	uint64_t view_cost;             /* of the last pictures, on a processor */
	bool warm;                      /* what is done once is over */
};

void budget_init(struct budget *budget);

/* Takes pictures and lowers rates if the last seconds were too dear. */
void budget_keep(struct budget *budget, struct session *session, uint64_t at);

#endif /* SAMPLER_BUDGET_H */
