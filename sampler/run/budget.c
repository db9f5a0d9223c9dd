/* SPDX-License-Identifier: Apache-2.0 */
#include "run/budget.h"

#include <stdio.h>

#include "base/clocks.h"

/* Measured over so long, and the first such time has what is done once: symbols, the record's tables. */
#define WINDOW (2 * SECOND)

/* Of the budget, what pictures may take. */
#define VIEW_SHARE 0.4

#define RATE_LEAST 5.0
#define VIEW_RATE_LEAST 2.0

/* A little more is no reason. */
#define TOLERANCE 1.15

void budget_init(struct budget *budget)
{
	*budget = (struct budget){.since = now(), .processor_then = own_processor_time()};
}

/* Pictures first: they only tell who is who. */
static void lower(struct budget *budget, struct session *session, double percent)
{
	const double allowed = session->options.budget;
	char why[160];

	if (session->view_rate > VIEW_RATE_LEAST && budget->view_cost) {
		double affordable =
			VIEW_SHARE * allowed / 100 * (double)SECOND / (double)budget->view_cost;

		if (affordable < session->view_rate) {
			session->view_rate =
				affordable > VIEW_RATE_LEAST ? affordable : VIEW_RATE_LEAST;
			return;
		}
	}
	double rate = session->rate * allowed / percent;

	if (rate < RATE_LEAST)
		rate = RATE_LEAST;
	if (rate >= session->rate)
		return;
	session->rate = rate;
	snprintf(why, sizeof why, "sampling took %.1f %% of a processor, the budget is %g %%",
		 percent, allowed);
	record_rate(&session->record, rate, why);
}

void budget_keep(struct budget *budget, struct session *session, uint64_t at)
{
	if (at - budget->since < WINDOW)
		return;
	const uint64_t processor = own_processor_time();
	const double percent =
		100 * (double)(processor - budget->processor_then) / (double)(at - budget->since);

	if (budget->warm && session->options.budget > 0 &&
	    percent > session->options.budget * TOLERANCE)
		lower(budget, session, percent);
	budget->warm = true;
	budget->since = at;
	budget->processor_then = processor;
}
