/* SPDX-License-Identifier: Apache-2.0
 *
 * ompd-ext.h: what a thread does, by its stack.
 */
#include <string.h>

#include "api/first_sizes.h"
#include "inference/facts.h"
#include "inference/sleep.h"
#include "inference/state.h"
#include "ompd.h"

/* A tool that knows less has told less. */
static void take(void *ret, size_t size, const void *given, ompd_size_t given_size)
{
	memset(ret, 0, size);
	memcpy(ret, given, given_size < size ? (size_t)given_size : size);
}

/* And is told less. */
static void hand_over(void *ret, const void *answer, size_t size)
{
	const ompd_size_t wanted = *(ompd_size_t *)ret;
	const ompd_size_t given = wanted < size ? wanted : size;

	memcpy(ret, answer, (size_t)given);
	*(ompd_size_t *)ret = given;
}

ompd_rc_t ompdx_decode_sleep(uint32_t machine, uint64_t number, const uint64_t arguments[6],
			     ompdx_sleep_t *sleep)
{
	ompdx_sleep_t full;
	ompd_rc_t rc;

	if (!arguments || !sleep || sleep->size < FIRST_SLEEP_SIZE)
		return ompd_rc_bad_input;
	rc = sleep_decode(machine, number, arguments, &full);
	if (rc == ompd_rc_ok)
		hand_over(sleep, &full, sizeof(full));
	return rc;
}

ompd_rc_t ompdx_get_facts(const ompdx_view_t *view, uint32_t thread,
			  ompdx_runtime_kind_t runtime_kind, ompdx_facts_t *facts)
{
	ompdx_facts_t full;

	if (!view || !facts || facts->size < FIRST_FACTS_SIZE || thread >= view->thread_count)
		return ompd_rc_bad_input;
	facts_of_view(view, thread, runtime_kind, &full);
	full.runtime = facts->runtime;
	full.arrivals = facts->arrivals;
	hand_over(facts, &full, sizeof(full));
	return ompd_rc_ok;
}

static bool fits(const void *array, uint32_t count, uint32_t size, size_t least)
{
	return !count || (array && size >= least);
}

ompd_rc_t ompdx_classify(const ompdx_stack_t *stack, const ompdx_facts_t *facts,
			 ompdx_classification_t *classification)
{
	ompdx_classification_t full;
	ompdx_facts_t known;
	ompdx_stack_t seen;
	ompdx_sleep_t sleep;

	if (!stack || stack->size < FIRST_STACK_SIZE || !classification ||
	    classification->size < FIRST_CLASSIFICATION_SIZE)
		return ompd_rc_bad_input;
	take(&seen, sizeof(seen), stack, stack->size);
	if (!fits(seen.frames, seen.frame_count, seen.frame_size, FIRST_FRAME_SIZE) ||
	    (seen.sleep && seen.sleep->size < FIRST_SLEEP_SIZE) ||
	    (facts && facts->size < FIRST_FACTS_SIZE))
		return ompd_rc_bad_input;
	if (seen.sleep) {
		take(&sleep, sizeof(sleep), seen.sleep, seen.sleep->size);
		seen.sleep = &sleep;
	}
	if (facts) {
		take(&known, sizeof(known), facts, facts->size);
		if (!fits(known.levels, known.level_count, known.level_size, FIRST_LEVEL_SIZE) ||
		    !fits(known.regions, known.region_count, known.region_size,
			  FIRST_REGION_SIZE) ||
		    (known.arrivals && known.arrivals->size < FIRST_TEAM_ARRIVALS_SIZE))
			return ompd_rc_bad_input;
	}
	state_classify(&seen, facts ? &known : NULL, &full);
	hand_over(classification, &full, sizeof(full));
	return ompd_rc_ok;
}
