/* SPDX-License-Identifier: Apache-2.0 */
#include "inference/state.h"

#include <string.h>

#include "inference/facts.h"
#include "inference/function.h"
#include "inference/source.h"
#include "inference/stack.h"
#include "inference/words.h"

struct state {
	uint32_t state;
	ompdx_wait_t wait;
	ompdx_construct_t construct;
	ompdx_place_t place;
	ompdx_doubt_t doubt;
	bool let_go, has_round;
	uint64_t round;
};

/* What is known of one thread. */
struct thread {
	struct known known;
	struct call call;
	const ompdx_stack_t *stack;
	const struct words *words;
	uint32_t asks;
};

static struct state plain(uint32_t state)
{
	const struct state made = {.state = state};

	return made;
}

static struct state unknown(ompdx_doubt_t doubt)
{
	const struct state made = {.state = OMPDX_STATE_UNDEFINED, .doubt = doubt};

	return made;
}

static struct state waiting(ompdx_wait_t wait, ompdx_place_t place)
{
	const struct state made = {.state = function_state_of(wait), .wait = wait, .place = place};

	return made;
}

static struct state doubtful(struct state state, ompdx_doubt_t doubt)
{
	state.doubt = doubt;
	return state;
}

static struct state at_barrier(uint32_t number, ompdx_wait_t wait, ompdx_construct_t construct,
			       ompdx_place_t place)
{
	struct state state = waiting(wait, place);

	state.state = number;
	state.construct = construct;
	return state;
}

static bool is_at_barrier(const struct state *state)
{
	return state->wait == ompdx_wait_barrier || state->wait == ompdx_wait_workshare ||
	       state->wait == ompdx_wait_reduction || state->wait == ompdx_wait_region;
}

static struct state at_regions_end(const struct thread *thread)
{
	if (thread->known.in_region && thread->known.region.generator == ompd_generator_teams)
		return at_barrier(OMPDX_STATE_WAIT_BARRIER_TEAMS, ompdx_wait_region,
				  ompdx_construct_teams, ompdx_place_region);
	return at_barrier(OMPDX_STATE_WAIT_BARRIER_IMPLICIT_PARALLEL, ompdx_wait_region,
			  ompdx_construct_parallel, ompdx_place_region);
}

/* In a parallel region; those that one thread executes count as well. */
static struct state working(const struct thread *thread)
{
	const struct known *known = &thread->known;
	bool parallel = known->in_region && known->region.level > 0;

	if (known->regions)
		return plain(parallel ? OMPDX_STATE_WORK_PARALLEL : OMPDX_STATE_WORK_SERIAL);
	parallel = stack_is_inside(thread->stack, &thread->call);
	if (!parallel && thread->stack->extent != ompdx_extent_whole)
		return unknown(ompdx_doubt_no_stack);
	return doubtful(plain(parallel ? OMPDX_STATE_WORK_PARALLEL : OMPDX_STATE_WORK_SERIAL),
			ompdx_doubt_no_facts);
}

/* clang records the file. Without -g, only its own names of constructs' code tell. */
static bool is_clangs(const struct thread *thread)
{
	const enum source_compiler compiler =
		source_compiler(thread->known.facts ? thread->known.facts->ident_source : NULL);

	return compiler == SOURCE_OF_CLANG || (compiler == SOURCE_NOTHING && thread->call.by_clang);
}

static ompdx_construct_t construct_of(const struct thread *thread, uint32_t flags)
{
	switch (flags & OMPDX_IDENT_BARRIER_MASK) {
	case OMPDX_IDENT_BARRIER_FOR:
		/* flang gives all worksharing constructs the mark of loops. */
		return is_clangs(thread) ? ompdx_construct_for : ompdx_construct_worksharing;
	case OMPDX_IDENT_BARRIER_SECTIONS:
		return ompdx_construct_sections;
	case OMPDX_IDENT_BARRIER_SINGLE:
		return ompdx_construct_single;
	case OMPDX_IDENT_BARRIER_WORKSHARE:
		return ompdx_construct_workshare;
	default:
		return ompdx_construct_none;
	}
}

static struct state at_marked_barrier(const struct thread *thread)
{
	const int32_t mark = thread->known.facts ? thread->known.facts->ident_flags : -1;
	const uint32_t flags = mark < 0 ? 0 : (uint32_t)mark;
	ompdx_construct_t construct;
	struct state state;

	if (flags & OMPDX_IDENT_BARRIER_EXPLICIT)
		return at_barrier(OMPDX_STATE_WAIT_BARRIER_EXPLICIT, ompdx_wait_barrier,
				  ompdx_construct_barrier, ompdx_place_recorded);
	construct = construct_of(thread, flags);
	if (construct == ompdx_construct_none)
		return waiting(ompdx_wait_barrier, ompdx_place_recorded);
	state = at_barrier(OMPDX_STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE, ompdx_wait_workshare,
			   construct, ompdx_place_recorded);
	/* The barrier of a region that is given up has the mark of a loop's end. */
	if (thread->call.entry->roles & OMPDX_ROLE_CANCEL_BARRIER)
		state.doubt = ompdx_doubt_maybe_cancelled;
	return state;
}

/* Its team is the new one from when the fork is done until all have arrived at the end. */
static struct state forking(struct thread *thread)
{
	const struct known *known = &thread->known;
	const struct call *call = &thread->call;
	const int64_t forks = stack_forks(thread->stack);
	struct own_regions own;
	struct outward outward;

	if (!known->regions) {
		if (call->creates_thread || call->begins)
			return plain(OMPDX_STATE_OVERHEAD);
		return doubtful(at_regions_end(thread), ompdx_doubt_end_or_beginning);
	}
	if (!known->in_region || known->region.generator == ompd_generator_program ||
	    known->thread_num != 0)
		return plain(OMPDX_STATE_OVERHEAD);
	if (call->creates_thread || call->begins)
		return plain(OMPDX_STATE_OVERHEAD); /* before any code of the region */
	if (known->region.serialized > 0)
		return plain(OMPDX_STATE_OVERHEAD); /* it has no barrier at its end */
	thread->asks |= OMPDX_ASKS_REST;
	own = facts_own_regions(known, call->directly);
	/* Each that the thread has begun is called for; one call more is for another inside. */
	if (forks >= 0 && own.all_called)
		return forks > own.begun ? plain(OMPDX_STATE_OVERHEAD) : at_regions_end(thread);
	/* In the region's own code, or in what that called, it forks another inside. Regions of one function can be in
	 * each other. */
	outward = stack_outward(thread->stack, call, known->region.function);
	if (outward.entered >= own.of_function)
		return plain(OMPDX_STATE_OVERHEAD);
	if (known->region.function && outward.count && outward.known)
		return at_regions_end(thread);
	return doubtful(at_regions_end(thread), ompdx_doubt_end_or_fork);
}

static struct state in_entry(struct thread *thread)
{
	const ompdx_function_t *entry = thread->call.entry;
	struct state state;

	if (entry->roles & OMPDX_ROLE_FORKS)
		return forking(thread);
	if (function_waits(entry)) {
		switch (entry->wait) {
		case ompdx_wait_region:
			return at_regions_end(thread);
		case ompdx_wait_barrier:
			return at_marked_barrier(thread);
		case ompdx_wait_workshare:
			return at_barrier(OMPDX_STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE, entry->wait,
					  function_construct(entry), ompdx_place_call);
		case ompdx_wait_reduction:
			/* At its end all threads meet; before, one may also wait for its turn to add. */
			state = at_barrier(OMPDX_STATE_WAIT_BARRIER_IMPLEMENTATION, entry->wait,
					   ompdx_construct_reduction, ompdx_place_call);
			return entry->roles & OMPDX_ROLE_ENDS_REDUCTION
				       ? state
				       : doubtful(state, ompdx_doubt_in_reduction);
		default:
			return waiting(entry->wait, ompdx_place_call);
		}
	}
	if (entry->roles & OMPDX_ROLE_CONTENDED && entry->wait == ompdx_wait_atomic) {
		state = waiting(entry->wait, ompdx_place_call);
		return thread->call.in_system ? state : doubtful(state, ompdx_doubt_in_atomic);
	}
	if (entry->roles & OMPDX_ROLE_WORKS)
		return working(thread);
	return doubtful(plain(OMPDX_STATE_OVERHEAD), ompdx_doubt_inside);
}

/* In no region: a thread that is about to end has such a stack too, and no team any more. */
static bool comes_to_life(const struct thread *thread)
{
	const bool has_team = thread->known.thread && thread->known.facts->has_team;

	return (thread->call.starts || thread->call.launched) && has_team;
}

static bool is_in_no_region(const struct thread *thread)
{
	return thread->known.regions && !thread->known.in_region;
}

static struct state by_stack(struct thread *thread)
{
	const struct call *call = &thread->call;

	if (is_in_no_region(thread) && !comes_to_life(thread))
		return plain(OMPDX_STATE_IDLE); /* also when it is about to end */
	if (call->starts || is_in_no_region(thread))
		return plain(OMPDX_STATE_OVERHEAD);
	if (!call->known) {
		const bool nowhere = call->runtime == UINT32_MAX && call->caller != NO_FRAME;

		return unknown(nowhere ? ompdx_doubt_unknown_code : ompdx_doubt_no_stack);
	}
	if (call->runtime == UINT32_MAX ||
	    (thread->known.facts && call->runtime != thread->known.facts->runtime))
		return working(thread);
	if (call->hidden)
		return unknown(ompdx_doubt_code_hidden);
	if (call->entry)
		return in_entry(thread);
	/* In the runtime's own loop for workers. */
	return thread->known.regions ? at_regions_end(thread) : unknown(ompdx_doubt_idle_or_end);
}

/* At its team's barrier, on whose word it sleeps. */
static struct state by_round(const struct thread *thread, struct state found)
{
	const struct call *call = &thread->call;
	const ompdx_sleep_t *sleep = thread->stack->sleep;
	const bool begins = (!call->entry || call_forks(call)) && !call->hidden;
	const uint32_t told = thread->known.region.barrier_round;
	const uint32_t unit = told ? told : thread->words->barrier_round;
	const uint32_t round = sleep->expected / unit;

	if (begins && !round && thread->known.region.level > 1)
		return plain(
			OMPDX_STATE_OVERHEAD); /* threads of a team inside of another meet before they begin */
	if (!sleep->now_known)
		return found;
	if (sleep->now / unit != round) {
		found.let_go = true;
		return found;
	}
	found.doubt = ompdx_doubt_none;
	found.has_round = true;
	found.round = round;
	return found;
}

/* What the thread sleeps on tells more than its stack does. */
static struct state by_word(struct thread *thread, struct state found)
{
	const struct call *call = &thread->call;
	const ompdx_sleep_t *sleep = thread->stack->sleep;
	const bool forks = call_forks(call), untold = found.state == OMPDX_STATE_UNDEFINED;
	bool there = is_at_barrier(&found);
	ompd_addr_t offset;
	int at_end;

	if (!sleep) {
		thread->asks |= OMPDX_ASKS_SLEEP;
		if (there && forks && found.doubt == ompdx_doubt_none)
			found.doubt = ompdx_doubt_end_or_beginning;
		return found;
	}
	offset = sleep->address - thread->known.region.address;
	if (offset == thread->words->task_lock)
		return plain(OMPDX_STATE_OVERHEAD);
	if (offset == thread->words->barrier) {
		at_end = facts_at_end(&thread->known);
		if (untold && !thread->known.facts->arrivals)
			thread->asks |= OMPDX_ASKS_ARRIVALS;
		if (!there && ((forks && !call->hidden) || (untold && at_end == 1))) {
			found = at_regions_end(thread);
			there = true;
		} else if (untold && at_end == 0) {
			found = waiting(ompdx_wait_barrier, ompdx_place_none);
			there = true;
		}
		return there ? by_round(thread, found) : found;
	}
	if (call->entry && call->entry->roles & OMPDX_ROLE_EXECUTES_AT_ONCE)
		return waiting(ompdx_wait_depend, ompdx_place_call);
	if (!there)
		return found;
	if (forks || !sleep->now_known || sleep->now != sleep->expected)
		return plain(OMPDX_STATE_OVERHEAD); /* the region begins */
	return unknown(ompdx_doubt_sleeps_elsewhere);
}

static bool is_lock(ompdx_wait_t wait)
{
	return wait == ompdx_wait_critical || wait == ompdx_wait_lock ||
	       wait == ompdx_wait_nest_lock;
}

/* A thread that the runtime keeps nothing of: its locks may need no more than their variables. */
static struct state of_stranger(const struct thread *thread)
{
	const struct call *call = &thread->call;

	if (call->known && call->entry && !call->hidden && function_waits(call->entry) &&
	    is_lock(call->entry->wait))
		return waiting(call->entry->wait, ompdx_place_call);
	return unknown(ompdx_doubt_no_thread);
}

static bool is_in_its_runtime(const struct thread *thread)
{
	return thread->call.runtime != UINT32_MAX &&
	       (!thread->known.facts || thread->known.facts->runtime == thread->call.runtime);
}

static struct state judged(struct thread *thread)
{
	const struct known *known = &thread->known;
	struct state found;

	if (known->thread && known->facts->thread_kind == ompdx_thread_none)
		return of_stranger(thread);
	if (known->thread && known->facts->thread_kind == ompdx_thread_helper)
		return unknown(ompdx_doubt_helper);
	found = by_stack(thread);
	if (!thread->words || !is_in_its_runtime(thread) || !known->in_region)
		return found;
	return by_word(thread, found);
}

static ompdx_doubt_t construct_doubt(const struct thread *thread, const struct state *state)
{
	if (!is_at_barrier(state) || state->construct != ompdx_construct_none)
		return ompdx_doubt_none;
	if (!thread->call.entry || state->place == ompdx_place_none)
		return ompdx_doubt_code_hidden;
	return thread->call.entry->roles & OMPDX_ROLE_UNMARKED ? ompdx_doubt_unmarked
							       : ompdx_doubt_no_mark;
}

static uint32_t what_is_told(const struct call *call, const struct state *state, bool own)
{
	uint32_t flags = 0;

	flags |= state->let_go ? OMPDX_TOLD_LET_GO : 0;
	flags |= state->has_round ? OMPDX_TOLD_ROUND : 0;
	flags |= call->sleeps && own ? OMPDX_TOLD_SLEEPS : 0;
	flags |= call->starts ? OMPDX_TOLD_STARTS : 0;
	flags |= call->launched ? OMPDX_TOLD_LAUNCHED : 0;
	flags |= call->by_call ? OMPDX_TOLD_ENTRY_CALLED : 0;
	flags |= call_forks(call) ? OMPDX_TOLD_BEGINS_REGION : 0;
	if (is_lock(state->wait) && call->entry->roles & OMPDX_ROLE_UNNAMED_CRITICAL)
		flags |= OMPDX_TOLD_UNNAMED;
	return flags;
}

void state_classify(const ompdx_stack_t *stack, const ompdx_facts_t *facts,
		    ompdx_classification_t *ret)
{
	struct thread thread = {.stack = stack};
	struct state state;
	bool lock;

	facts_read(facts, &thread.known);
	stack_read(stack, &thread.call);
	thread.words = words_of(thread.call.kind);
	state = judged(&thread);
	lock = is_lock(state.wait);
	memset(ret, 0, sizeof(*ret));
	ret->size = sizeof(*ret);
	ret->state = state.state;
	ret->wait = state.wait;
	ret->construct = state.construct;
	ret->place = state.place;
	ret->doubt = state.doubt;
	ret->construct_doubt = construct_doubt(&thread, &state);
	ret->told = what_is_told(&thread.call, &state, is_in_its_runtime(&thread));
	if (lock && thread.words && !stack->sleep)
		thread.asks |= OMPDX_ASKS_SLEEP; /* which tells the lock */
	ret->asks = thread.asks | thread.call.asks;
	ret->runtime = thread.call.runtime;
	ret->entry_frame = thread.call.entry_frame;
	ret->caller_frame = thread.call.caller;
	ret->outermost_frame = thread.call.outermost;
	ret->object_argument = lock ? thread.call.entry->object_argument : -1;
	ret->object = lock && thread.words && stack->sleep ? stack->sleep->address : 0;
	ret->round = state.round;
}
