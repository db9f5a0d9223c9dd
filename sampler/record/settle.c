/* SPDX-License-Identifier: Apache-2.0 */
#include "settle.h"

#define IN_REGION (1u << SEEN_INSIDE | 1u << SEEN_AT_END)
#define WITHOUT_FRAMES (1u << SEEN_IDLE | 1u << SEEN_AT_END)

static struct activity nothing(uint32_t state, const struct piece *piece, const struct settling *settling)
{
	return (struct activity){.state = state,
				 .on = settling->knows_on ? piece->kind == PIECE_ON : NONE,
				 .stack = NONE,
				 .region = NONE,
				 .team = NONE,
				 .construct = NONE,
				 .holder = NONE,
				 .level = -1,
				 .thread_num = -1};
}

static bool is_outside(const struct settling *settling, const struct thread *thread)
{
	return !settling->has_runtime || (thread->seen && thread->runtime == NONE);
}

static bool is_work(uint32_t state)
{
	return state == OMPDX_STATE_WORK_SERIAL || state == OMPDX_STATE_WORK_PARALLEL;
}

static bool is_in_region(uint32_t state)
{
	return state != OMPDX_STATE_WORK_SERIAL && state != OMPDX_STATE_IDLE && state != STATE_OUTSIDE;
}

/* No code of the program's is on the stack: a picture near to the moment tells which of both it is. */
static uint32_t idle_or_end(const struct thread *thread, uint64_t time, uint32_t *doubt)
{
	const struct seen *seen = history_nearest(&thread->history, time, WITHOUT_FRAMES);

	if (!seen)
		return STATE_UNKNOWN;
	*doubt = ompdx_doubt_none;
	return seen->where == SEEN_IDLE ? OMPDX_STATE_IDLE : OMPDX_STATE_WAIT_BARRIER_IMPLICIT_PARALLEL;
}

static uint32_t state_of(const struct settling *settling, const struct thread *thread,
			 const struct told *told, const struct piece *piece, uint32_t *doubt)
{
	uint32_t state = told->state;

	if (is_outside(settling, thread))
		return STATE_OUTSIDE;
	if (told->doubt == ompdx_doubt_idle_or_end)
		state = idle_or_end(thread, piece->sampled_at, doubt);
	if (state == OMPDX_STATE_UNDEFINED)
		state = STATE_UNKNOWN;
	return piece->kind == PIECE_ASLEEP && is_work(state) ? STATE_ASLEEP : state;
}

/* Its own stack tells the region, or a picture does. */
static void add_region(const struct settling *settling, const struct thread *thread,
		       const struct told *told, uint64_t time, struct activity *activity)
{
	struct tables *tables = settling->stacks.tables;
	const struct seen *seen = history_nearest(&thread->history, time, IN_REGION);
	const bool at_end = told->wait == ompdx_wait_region;
	uint32_t of_fork = region_of_fork(tables, told->fork);

	if (at_end && of_fork != NONE)
		activity->region = of_fork;
	else if (told->region)
		activity->region = table_region(tables, told->region);
	else if (seen && !told->inside)
		activity->region = table_region(tables, seen->region);
	else if (seen && seen->level > 0)
		activity->region = table_region(tables, seen->region);
	if (of_fork != NONE && of_fork == activity->region) {
		activity->team = thread->number;
		activity->thread_num = 0;
	} else if (seen) {
		activity->team = seen->team;
		activity->thread_num = seen->thread_num;
	}
	if (seen)
		activity->level = seen->level;
}

static struct activity of_sample(const struct settling *settling, const struct thread *thread,
				 const struct piece *piece)
{
	struct tables *tables = settling->stacks.tables;
	const struct told told = *told_of(tables->tellings, piece->told);
	struct activity activity = nothing(0, piece, settling);

	activity.doubt = told.doubt;
	activity.state = state_of(settling, thread, &told, piece, &activity.doubt);
	if (is_in_region(activity.state))
		add_region(settling, thread, &told, piece->sampled_at, &activity);
	activity.construct = table_construct(tables, &told, activity.region);
	const struct moment moment = {&told,		piece->sampled_at, activity.region,
				      activity.team,	activity.state,	   activity.construct};

	activity.stack = user_stack(&settling->stacks, &moment);
	if (is_work(activity.state) || activity.state == STATE_OUTSIDE ||
	    activity.state == STATE_ASLEEP || activity.state == OMPDX_STATE_OVERHEAD)
		activity.doubt = ompdx_doubt_none;
	return activity;
}

uint32_t settle(const struct settling *settling, struct thread *thread, const struct piece *piece)
{
	struct activity activity;

	if (piece->state == PIECE_TOLD && piece->told != NONE)
		activity = of_sample(settling, thread, piece);
	else if (piece->kind == PIECE_PREEMPTED)
		activity = nothing(STATE_PREEMPTED, piece, settling);
	else if (piece->kind == PIECE_ON && !settling->kernel_samples)
		activity = nothing(STATE_KERNEL, piece, settling);
	else
		activity = nothing(STATE_UNKNOWN, piece, settling);
	return table_activity(settling->stacks.tables, &activity);
}
