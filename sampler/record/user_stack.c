/* SPDX-License-Identifier: Apache-2.0 */
#include "record/user_stack.h"

#include "inference/called.h"
#include "record/frames.h"
#include "record/regions.h"

/* Regions inside of each other whose paths are joined. */
#define NESTING_MAX 16

/* A native stack, the innermost first. */
struct native {
	const struct tables *tables;
	uint32_t code[FRAMES_MAX];
	uint32_t count;
	bool whole;
};

static void read_native(const struct tables *tables, const struct stack_told *told,
			struct native *native)
{
	uint32_t stack = told->stack;

	native->tables = tables;
	native->whole = told->whole;
	native->count = 0;
	while (stack != NONE && native->count < FRAMES_MAX) {
		const struct stack_node *node = interned(&tables->tellings->stacks, stack);

		native->code[native->count++] = node->code;
		stack = node->parent;
	}
}

static struct called_stack called_stack(const struct native *native)
{
	return (struct called_stack){native->tables->codes, native->code, native->count,
				     native->whole};
}

static const struct code *at(const struct native *native, uint32_t frame)
{
	return code_of(native->tables->codes, native->code[frame]);
}

static bool is_shown(const struct code *code)
{
	return !code_is_runtime(code) && code->frame.code != ompdx_code_system;
}

static bool is_base_of(const void *context, uint32_t told)
{
	const struct user_stacks *stacks = ((const void *const *)context)[0];
	const uint32_t *region = ((const void *const *)context)[1];
	const struct stack_told *one = told_of(stacks->tables->tellings, told);

	for (size_t i = 0; i < FORKS_TOLD && one->forks[i] != NONE; i++)
		if (region_of_fork(stacks->tables, one->forks[i]) == *region)
			return true;
	return false;
}

/* What is known of a team that a stack may have come from. */
struct origin {
	uint32_t team;   /* who began it; NONE */
	uint32_t region; /* whose team it is; NONE: not known */
};

/* The frames of a native stack from the outermost to `end' (excluded), on their way into a user's. */
struct walk {
	const struct user_stacks *stacks;
	const struct native *native;
	uint32_t end;
	struct origin origin;
	uint64_t time;
	unsigned depth;
};

static uint32_t path_to_region(const struct user_stacks *stacks, uint32_t team, uint64_t time,
			       uint32_t region, unsigned depth);

/* Whose code this is, or has jumped to this. */
static uint32_t region_called(const struct walk *walk, uint32_t code)
{
	struct tables *tables = walk->stacks->tables;
	const uint32_t region = region_around(tables, code_of(tables->codes, code));
	const uint64_t called = code_of(tables->codes, code)->function;

	if (region != NONE || !called)
		return region;
	const uint32_t likely =
		walk->origin.region == NONE ? NONE : code_of_region(tables, walk->origin.region);

	return table_region(tables,
			    region_told(tables->tellings, called,
					likely == NONE ? 0 : code_of(tables->codes, likely)->pc));
}

/* Its own region, if it has begun none from the frame on: then it is in that. */
static uint32_t region_of_thread(const struct walk *walk, uint32_t frame)
{
	const struct called_stack stack = called_stack(walk->native);

	for (uint32_t i = walk->end; i <= frame; i++)
		if (begins_region(&stack, i))
			return NONE;
	return walk->origin.region;
}

/* The region for which the runtime has come to call the frame's code: of the call that began it, or of the thread. NONE: none, or
 * it is not known. */
static uint32_t region_inside_of(const struct walk *walk, uint32_t frame, enum called why)
{
	const struct native *native = walk->native;
	uint32_t outer = frame + 1, region = NONE;

	while (outer + 1 < native->count && !is_shown(at(native, outer + 1)))
		outer++;
	const struct called_stack called = called_stack(native);
	const bool begins_thread = outer + 1 == native->count;

	if (begins_region(&called, outer))
		region = region_of_fork(walk->stacks->tables, native->code[outer + 1]);
	if (region == NONE && why == CALLED_REGION)
		region = region_called(walk, native->code[frame]);
	if (region == NONE && begins_thread)
		region = region_of_thread(walk, frame);
	return region;
}

/* The constructs for which the runtime has called the frame's code. */
static uint32_t push_constructs(const struct walk *walk, uint32_t frame, uint32_t stack)
{
	struct tables *tables = walk->stacks->tables;
	const struct called_stack called = called_stack(walk->native);
	const enum called why = what_called(&called, frame);
	const uint32_t region = region_inside_of(walk, frame, why);
	/* A thread that began a region inside is in another team as well. */
	const bool other = walk->origin.region != NONE && walk->origin.region != region;

	if (region != NONE && stack == NONE)
		stack = path_to_region(walk->stacks, other ? NONE : walk->origin.team, walk->time,
				       region, walk->depth + 1);
	if (region != NONE)
		stack = table_stack(tables, stack, table_region_frame(tables, region));
	if (why == CALLED_TASK)
		stack = table_stack(tables, stack,
				    table_task_frame(tables, walk->native->code[frame]));
	return stack;
}

/* Above the path to the region whose code the stack begins with. */
static uint32_t push_frames(const struct walk *walk)
{
	struct tables *tables = walk->stacks->tables;
	const struct native *native = walk->native;
	uint32_t stack = NONE;
	bool in_runtime = false, any = false;

	for (uint32_t i = native->count; i-- > walk->end;) {
		const struct code *code = at(native, i);
		const enum frame_kind kind =
			code->image || code->is_python ? FRAME_USER : FRAME_UNKNOWN;

		if (code_is_runtime(code)) {
			in_runtime = true;
			continue;
		}
		if (code->frame.code == ompdx_code_system) {
			/* What starts threads, and what the runtime calls, is not the user's affair. */
			if (any && !in_runtime)
				stack = table_stack(
					tables, stack,
					table_frame(tables, FRAME_SYSTEM, native->code[i]));
			continue;
		}
		if (in_runtime)
			stack = push_constructs(walk, i, stack);
		in_runtime = false;
		any = true;
		stack = table_stack(tables, stack, table_frame(tables, kind, native->code[i]));
	}
	return stack;
}

/* Outside of the innermost call that begins the region. */
static uint32_t fork_frame(const struct user_stacks *stacks, const struct native *native,
			   uint32_t region)
{
	const struct called_stack stack = called_stack(native);

	for (uint32_t i = 0; i + 1 < native->count; i++)
		if (begins_region(&stack, i) &&
		    region_of_fork(stacks->tables, native->code[i + 1]) == region)
			return i + 1;
	return native->count;
}

/* How the thread that began the region had come there: by the moment nearest to this one. */
static uint32_t path_to_region(const struct user_stacks *stacks, uint32_t team, uint64_t time,
			       uint32_t region, unsigned depth)
{
	const struct threads *threads = stacks->threads;

	if (team == NONE)
		team = stacks->tables->region_more[region].forker;
	if (team == NONE || depth > NESTING_MAX)
		return NONE;
	const void *context[] = {stacks, &region};
	const struct forked *forked =
		history_nearest_fork(&threads->all[team]->history, time, is_base_of, context);

	if (!forked)
		return NONE;
	struct native native;

	read_native(stacks->tables, told_of(stacks->tables->tellings, forked->told), &native);
	const struct seen *seen =
		history_nearest(&threads->all[team]->history, time, 1u << SEEN_INSIDE);
	/* Its own team is the one outside; of a thread that begins regions inside of others a picture shows the inner. */
	struct origin outer = {NONE, NONE};

	if (seen && seen->team != team)
		outer = (struct origin){seen->team,
					seen->region ? table_region(stacks->tables, seen->region)
						     : NONE};
	const struct walk walk = {stacks, &native, fork_frame(stacks, &native, region),
				  outer,  time,    depth};

	return push_frames(&walk);
}

/* The innermost function of the runtime that the program called. */
static uint32_t innermost_entry(const struct native *native)
{
	uint32_t found = NONE;

	for (uint32_t i = 0; i < native->count && !is_shown(at(native, i)); i++)
		if (code_is_runtime(at(native, i)))
			found = native->code[i];
	return found;
}

static bool is_wait(uint32_t state)
{
	return state >= OMPDX_STATE_WAIT_BARRIER && state < OMPDX_STATE_IDLE;
}

uint32_t user_stack(const struct user_stacks *stacks, const struct moment *moment)
{
	struct tables *tables = stacks->tables;
	const bool at_end = moment->state == OMPDX_STATE_WAIT_BARRIER_IMPLICIT_PARALLEL ||
			    moment->state == OMPDX_STATE_WAIT_BARRIER_TEAMS;
	struct native native;
	uint32_t stack;

	if (moment->state == OMPDX_STATE_IDLE)
		return table_stack(tables, NONE, table_wait_frame(tables, moment->state, NONE));
	read_native(tables, moment->told, &native);
	const struct walk walk = {stacks,       &native, 0, {moment->team, moment->region},
				  moment->time, 0};

	if (moment->told->inside || !at_end || moment->region == NONE)
		stack = push_frames(&walk);
	else
		stack = path_to_region(stacks, moment->team, moment->time, moment->region, 1);
	if (at_end && moment->region != NONE)
		stack = table_stack(tables, stack, table_region_frame(tables, moment->region));
	if (is_wait(moment->state))
		return table_stack(tables, stack,
				   table_wait_frame(tables, moment->state, moment->construct));
	if (moment->state == OMPDX_STATE_OVERHEAD) {
		uint32_t entry = innermost_entry(&native);

		if (entry != NONE)
			stack = table_stack(tables, stack,
					    table_frame(tables, FRAME_RUNTIME, entry));
	}
	return stack;
}
