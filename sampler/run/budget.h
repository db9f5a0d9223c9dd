/* SPDX-License-Identifier: Apache-2.0
 *
 * What sampling may cost: the sampler's own time on a processor stays within the budget.
 */
#ifndef SAMPLER_BUDGET_H
#define SAMPLER_BUDGET_H

#include "run/session.h"

/* Since when is measured, and what had been taken of a processor by then, and of samples. */
struct budget_window {
	uint64_t since, processor, samples;
};

struct budget {
	struct budget_window all, early, lately, sleepers;
	uint64_t view_cost; /* of the last pictures, on a processor */
	double most_turns;  /* of sleepers, lately */
	bool is_scarce;     /* what each pass does takes it all, whatever is sampled */
	bool warm;          /* what is done once is over */
	bool is_over;       /* the last time was, though it is scarce */
	bool has_given_up;  /* it is said that the budget is not kept */
};

void budget_init(struct budget *budget);

/* Takes pictures and lowers rates if the last seconds were too dear. */
void budget_keep(struct budget *budget, struct session *session, uint64_t at);

#endif /* SAMPLER_BUDGET_H */
