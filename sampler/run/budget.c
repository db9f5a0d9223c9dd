/* SPDX-License-Identifier: Apache-2.0 */
#include "run/budget.h"

#include <math.h>
#include <stdio.h>

#include "base/clocks.h"

/* Measured over so long, and the first such time has what is done once: symbols, the record's tables. */
#define WINDOW (2 * SECOND)
/* And what does not depend on samples. */
#define WINDOW_SHORT (SECOND / 4)

/* Of so many threads each pass soon takes more than what is done once: it is known before the first WINDOW is over, by
 * parts of it. */
#define MANY 64
#define WINDOW_EARLY (SECOND / 2)

/* Of the budget, what pictures may take, and looks at threads that sleep; and the same once it is scarce. */
#define VIEW_SHARE 0.4
#define SLEEPER_SHARE 0.3
#define SCARCE_VIEW_SHARE 0.1
#define SCARCE_SLEEPER_SHARE 0.12

/* How many turns they have changes from one short window to the next: what the most was lately is forgotten so slowly. */
#define TURNS_KEPT 0.9

/* Fewer samples are no help if they take less than this part of the budget, of nanoseconds each. */
#define SAMPLES_SHARE 0.25
#define SAMPLE_COST 5000.0

#define TICK_MOST (200 * MILLISECOND)
#define RATE_LEAST 5.0
#define VIEW_RATE_LEAST 1.0

/* A little more is no reason. */
#define TOLERANCE 1.15

void budget_init(struct budget *budget)
{
	const struct budget_window window = {.since = now(), .processor = own_processor_time()};

	*budget = (struct budget){
		.all = window,
		.early = window,
		.lately = window,
		.sleepers = {.since = window.since},
	};
}

/* Pictures only tell who is who. */
static void lower_views(const struct budget *budget, struct session *session)
{
	if (session->view_rate <= VIEW_RATE_LEAST || !budget->view_cost)
		return;
	const double share = budget->is_scarce ? SCARCE_VIEW_SHARE : VIEW_SHARE;
	const double affordable =
		share * session->options.budget / 100 * (double)SECOND / (double)budget->view_cost;

	if (affordable < session->view_rate)
		session->view_rate = affordable > VIEW_RATE_LEAST ? affordable : VIEW_RATE_LEAST;
}

/* Many threads that sleep and wake up without end are looked at less often each. */
static void settle_sleepers(struct budget *budget, struct session *session, double percent)
{
	const double share = budget->is_scarce ? SCARCE_SLEEPER_SHARE : SLEEPER_SHARE;
	const double allowed = share * session->options.budget;
	const double turns = ceil(session->sleeper_turns * percent / allowed);

	session->sleeper_turns = turns < 1                    ? 1
				 : turns > SLEEPER_TURNS_MOST ? SLEEPER_TURNS_MOST
							      : (uint32_t)turns;
	budget->most_turns *= TURNS_KEPT;
	if (budget->most_turns < session->sleeper_turns)
		budget->most_turns = session->sleeper_turns;
}

static void lower_rate(struct session *session, double percent)
{
	const double rate = session->rate * session->options.budget / percent;
	char why[160];

	if (session->rate <= RATE_LEAST)
		return;
	session->rate = rate > RATE_LEAST ? rate : RATE_LEAST;
	snprintf(why, sizeof why, "sampling took %.1f %% of a processor, the budget is %g %%",
		 percent, session->options.budget);
	record_rate(&session->record, session->rate, why);
}

/* Those that sleep are looked at as often. */
static void pass_seldom(struct budget *budget, struct session *session)
{
	const uint64_t turns = session->sleeper_turns * session->tick / TICK_MOST;

	session->sleeper_turns = turns > 1 ? (uint32_t)turns : 1;
	budget->most_turns = session->sleeper_turns;
	session->tick = TICK_MOST;
}

/* What is done in each pass for each thread, whether it was sampled or not. */
static void lower_passes(struct budget *budget, struct session *session, double percent)
{
	char text[240];

	if (!budget->is_scarce) {
		if (session->clock == CLOCK_PERF)
			pass_seldom(budget, session);
		budget->is_scarce = true;
		lower_views(budget, session);
		return;
	}
	const bool was_over = budget->is_over;

	budget->is_over = percent > session->options.budget * TOLERANCE;
	/* Once may be chance. */
	if (budget->has_given_up || !budget->is_over || !was_over)
		return;
	snprintf(text, sizeof text,
		 "Sampling takes %.1f %% of a processor, the budget is %g %%: threads that fall "
		 "asleep and wake up so often take that, at any rate.",
		 percent, session->options.budget);
	budget->has_given_up = record_note(&session->record, "budget", NULL, text);
}

/* What has been taken of a processor since the window began, in percent. */
static double percent_of(const struct budget_window *window, uint64_t processor, uint64_t at)
{
	return 100 * (double)(processor - window->processor) / (double)(at - window->since);
}

/* It is not the samples that take more than the budget. */
static bool passes_are_dear(const struct budget_window *window, const struct session *session,
			    uint64_t processor, uint64_t at)
{
	const double samples = 100 * SAMPLE_COST * (double)(session->samples - window->samples) /
			       (double)(at - window->since);

	return percent_of(window, processor, at) > session->options.budget &&
	       samples < SAMPLES_SHARE * session->options.budget;
}

/* The first part has what is done once. */
static void keep_early(struct budget *budget, struct session *session, uint64_t processor,
		       uint64_t at)
{
	const bool is_first = budget->early.since == budget->all.since;

	if (at - budget->early.since < WINDOW_EARLY)
		return;
	if (!is_first && passes_are_dear(&budget->early, session, processor, at))
		lower_passes(budget, session, percent_of(&budget->early, processor, at));
	budget->early = (struct budget_window){at, processor, session->samples};
}

void budget_keep(struct budget *budget, struct session *session, uint64_t at)
{
	const uint64_t processor = own_processor_time();
	const double most = session->options.budget * TOLERANCE;

	if (session->options.budget <= 0)
		return;
	if (at - budget->lately.since >= WINDOW_SHORT) {
		if (percent_of(&budget->lately, processor, at) > most)
			lower_views(budget, session);
		settle_sleepers(budget, session,
				percent_of(&budget->sleepers, session->sleeper_processor, at));
		budget->lately = (struct budget_window){.since = at, .processor = processor};
		budget->sleepers = (struct budget_window){.since = at,
							  .processor = session->sleeper_processor};
	}
	if (!budget->warm && !budget->is_scarce && session->threads.living_count >= MANY)
		keep_early(budget, session, processor, at);
	if (at - budget->all.since >= WINDOW) {
		const double percent = percent_of(&budget->all, processor, at);

		if (budget->warm && passes_are_dear(&budget->all, session, processor, at))
			lower_passes(budget, session, percent);
		else if (budget->warm && percent > most)
			lower_rate(session, percent);
		budget->is_over &= percent > most;
		budget->warm = true;
		budget->all = (struct budget_window){at, processor, session->samples};
	}
}
