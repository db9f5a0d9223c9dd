/* SPDX-License-Identifier: Apache-2.0 */
#include "record/settle.h"

#include "record/constructs.h"
#include "record/regions.h"
#include "record/words.h"

#define IN_REGION (1u << SEEN_INSIDE | 1u << SEEN_AT_END)
#define WITHOUT_FRAMES (1u << SEEN_IDLE | 1u << SEEN_AT_END)

static struct activity nothing(uint32_t state, const struct piece *piece,
			       const struct settling *settling)
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
	return state != OMPDX_STATE_WORK_SERIAL && state != OMPDX_STATE_IDLE &&
	       state != STATE_OUTSIDE;
}

/* No code of the program's is on the stack: a picture near to the moment tells which of both it is. */
static uint32_t idle_or_end(const struct thread *thread, uint64_t time, uint32_t *doubt)
{
	const struct seen *seen = history_nearest(&thread->history, time, WITHOUT_FRAMES);

	if (!seen)
		return STATE_UNKNOWN;
	*doubt = ompdx_doubt_none;
	return seen->where == SEEN_IDLE ? OMPDX_STATE_IDLE
					: OMPDX_STATE_WAIT_BARRIER_IMPLICIT_PARALLEL;
}

static uint32_t state_of(const struct settling *settling, const struct thread *thread,
			 const struct stack_told *told, const struct piece *piece, uint32_t *doubt)
{
	uint32_t state = told->state;

	if (!settling->has_runtime && !settling->looked)
		return STATE_UNKNOWN;
	if (is_outside(settling, thread))
		return STATE_OUTSIDE;
	if (told->doubt == ompdx_doubt_idle_or_end)
		state = idle_or_end(thread, piece->sampled_at, doubt);
	if (state == OMPDX_STATE_UNDEFINED)
		state = STATE_UNKNOWN;
	const bool own = is_work(state) || (told->doubt == ompdx_doubt_no_stack && told->in_call);

	return piece->kind == PIECE_ASLEEP && own ? STATE_ASLEEP : state;
}

static uint32_t region_of_forked(const struct settling *settling, const struct forked *forked)
{
	struct tables *tables = settling->stacks.tables;

	return region_of_fork(tables, told_of(tables->tellings, forked->told)->forks[0]);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Of the regions that the thread began that began the team: that at the moment next to this, before and behind it. libgomp does
 * not keep which code a region has. */
struct around {
	uint32_t before, behind; /* NONE: not known */
	bool behind_is_nearer;
};

static struct around regions_around(const struct settling *settling, uint32_t team, uint64_t time)
{
	const struct forked *forked[2];

	if (team == NONE)
		return (struct around){NONE, NONE, false};
	history_forks_around(&settling->stacks.threads->all[team]->history, time, forked);
	const struct forked *before = forked[0] ? forked[0] : forked[1],
			    *behind = forked[1] ? forked[1] : forked[0];

	if (!before)
		return (struct around){NONE, NONE, false};
	return (struct around){region_of_forked(settling, before),
			       region_of_forked(settling, behind),
			       distance(behind->time, time) < distance(before->time, time)};
}

/* What a picture tells of the region. Who waits at its end is taken for the nearer one's, who is at work may be in neither. */
static uint32_t region_seen(const struct settling *settling, const struct seen *seen, uint64_t time,
			    bool at_work)
{
	const uint32_t shown =
		seen->region ? table_region(settling->stacks.tables, seen->region) : NONE;

	if (seen->level <= 0 || (shown != NONE && !at_work))
		return shown;
	const struct around around = regions_around(settling, seen->team, time);

	if (around.before == NONE && around.behind == NONE)
		return shown;
	if (at_work)
		return around.before == around.behind ? around.before : NONE;
	return around.behind_is_nearer ? around.behind : around.before;
}

/* Does a picture show it in this region? */
static bool is_seen_in(const struct settling *settling, const struct seen *seen, uint64_t time,
		       uint32_t region)
{
	if (!seen || seen->level <= 0)
		return false;
	if (seen->region)
		return table_region(settling->stacks.tables, seen->region) == region;
	const struct around around = regions_around(settling, seen->team, time);

	return around.before == region || around.behind == region;
}

struct jumped_to {
	struct tables *tables;
	uint64_t function;
};

static bool begins_one_of(const void *context, uint32_t told)
{
	const struct jumped_to *to = context;
	struct tables *tables = to->tables;
	const uint32_t region = region_of_fork(tables, told_of(tables->tellings, told)->forks[0]);
	const uint32_t code = region == NONE ? NONE : code_of_region(tables, region);

	if (code == NONE)
		return false;
	const uint64_t begins = code_of(tables->codes, code)->pc;

	return region_told(tables->tellings, to->function, begins) == begins;
}

/* Several regions jump to the function: the one that the thread that began its own was in at the moment next to this. */
static uint32_t region_among(const struct settling *settling, const struct seen *seen,
			     uint64_t function, uint64_t time)
{
	struct tables *tables = settling->stacks.tables;
	const struct jumped_to to = {tables, function};

	if (!seen || seen->team == NONE)
		return NONE;
	const struct forked *forked = history_nearest_fork(
		&settling->stacks.threads->all[seen->team]->history, time, begins_one_of, &to);

	return forked ? region_of_forked(settling, forked) : NONE;
}

/* Its own stack tells the region, or a picture does. */
static void add_region(const struct settling *settling, const struct thread *thread,
		       const struct stack_told *told, uint64_t time, struct activity *activity)
{
	struct tables *tables = settling->stacks.tables;
	const struct seen *seen = history_nearest(&thread->history, time, IN_REGION);
	const bool at_end = told->wait == ompdx_wait_region;
	const uint64_t function = region_told(tables->tellings, told->region, 0);
	uint32_t of_fork = region_of_fork(tables, told->forks[0]);

	if (at_end && of_fork != NONE)
		activity->region = of_fork;
	else if (function)
		activity->region = table_region(tables, function);
	else if (told->region)
		activity->region = region_among(settling, seen, told->region, time);
	if (activity->region == NONE && seen && (!told->inside || seen->level > 0))
		activity->region = region_seen(settling, seen, time, told->inside);
	const bool same = is_seen_in(settling, seen, time, activity->region);

	if (of_fork != NONE && of_fork == activity->region) {
		activity->team = thread->number;
		activity->thread_num = 0;
	} else if (same) {
		activity->team = seen->team;
		activity->thread_num = seen->thread_num;
	}
	if (same)
		activity->level = seen->level;
}

static struct activity of_sample(const struct settling *settling, const struct thread *thread,
				 const struct piece *piece)
{
	struct tables *tables = settling->stacks.tables;
	struct stack_told told = *told_of(tables->tellings, piece->told);
	struct activity activity = nothing(0, piece, settling);

	activity.doubt = told.doubt;
	activity.state = state_of(settling, thread, &told, piece, &activity.doubt);
	if (activity.state == OMPDX_STATE_WAIT_BARRIER_IMPLICIT_PARALLEL)
		told.wait = ompdx_wait_region;
	if (is_in_region(activity.state))
		add_region(settling, thread, &told, piece->sampled_at, &activity);
	activity.construct = table_construct(tables, &told, activity.region);
	const struct moment moment = {&told,         piece->sampled_at, activity.region,
				      activity.team, activity.state,    activity.construct};

	activity.stack = user_stack(&settling->stacks, &moment);
	if (is_work(activity.state) || activity.state == STATE_OUTSIDE ||
	    activity.state == STATE_ASLEEP || activity.state == OMPDX_STATE_OVERHEAD)
		activity.doubt = ompdx_doubt_none;
	return activity;
}

static struct activity of_sample_once(struct settling *settling, const struct thread *thread,
				      const struct piece *piece)
{
	struct settled *last = &settling->last[piece->kind];

	if (last->thread != thread->number || last->told != piece->told ||
	    last->sampled_at != piece->sampled_at)
		*last = (struct settled){of_sample(settling, thread, piece), piece->sampled_at,
					 thread->number, piece->told};
	return last->activity;
}

static void remember(struct thread *thread, const struct activity *activity)
{
	thread->last_region = activity->region;
	thread->last_team = activity->team;
	thread->last_level = activity->level;
	thread->last_thread_num = activity->thread_num;
}

/* Where it was when it lost the processor, it is when it has one again. */
static struct activity preempted(const struct settling *settling, const struct thread *thread,
				 const struct piece *piece)
{
	struct activity activity = nothing(STATE_PREEMPTED, piece, settling);

	activity.region = thread->last_region;
	activity.team = thread->last_team;
	activity.level = thread->last_level;
	activity.thread_num = thread->last_thread_num;
	return activity;
}

static uint64_t lock_of(const struct settling *settling, const struct piece *piece)
{
	struct tellings *tellings = settling->stacks.tables->tellings;

	return piece->state == PIECE_TOLD && piece->told != NONE
		       ? lock_told(tellings, told_of(tellings, piece->told))
		       : 0;
}

bool settle_waits_for_lock(const struct settling *settling, const struct piece *piece)
{
	return lock_of(settling, piece) != 0;
}

uint32_t settle_holder(const struct settling *settling, const struct thread *thread,
		       const struct piece *piece, uint64_t *until)
{
	const uint64_t lock = lock_of(settling, piece);

	*until = piece->end;
	const uint32_t holder = lock ? lock_holder(settling->locks, lock, piece->start,
						   settling->sample_reach, until)
				     : NONE;

	/* Its own wait is over then. */
	return holder == thread->number ? NONE : holder;
}

void settle_begin(struct settling *settling)
{
	for (size_t i = 0; i < sizeof settling->last / sizeof *settling->last; i++)
		settling->last[i].thread = NONE;
}

uint32_t settle(struct settling *settling, struct thread *thread, const struct piece *piece,
		uint32_t holder)
{
	struct activity activity;

	if (piece->kind == PIECE_LOST) {
		activity = nothing(STATE_UNKNOWN, piece, settling);
		activity.on = NONE;
	} else if (piece->state == PIECE_TOLD && piece->told != NONE) {
		activity = of_sample_once(settling, thread, piece);
		if (activity.construct != NONE)
			activity.holder = holder;
		/* Of a thread without a clock it is not known when one sleep ends and the next begins. */
		if (piece->kind == PIECE_ASLEEP && activity.state != STATE_UNKNOWN &&
		    activity.doubt == ompdx_doubt_none && (piece->of_later || !thread->sampled))
			activity.doubt = DOUBT_OF_LATER;
		remember(thread, &activity);
	} else if (piece->kind == PIECE_PREEMPTED)
		activity = preempted(settling, thread, piece);
	else if (piece->kind == PIECE_ON && !settling->kernel_samples && thread->sampled)
		activity = nothing(STATE_KERNEL, piece, settling);
	else
		activity = nothing(STATE_UNKNOWN, piece, settling);
	return table_activity(settling->stacks.tables, &activity);
}
